// Defect A: a message that the server refuses rejects with a typed error. The connection and the process live on.

import { type Daemon, freePort, startDaemon } from "@sandbox-agent/testkit";
import {
  AcpPeer,
  DeliveryError,
  HttpStatusError,
  httpTransport,
  openStream,
  ProtocolError,
  standardHttpTransport,
  webSocketTransport,
} from "acp-http-client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";

let daemon: Daemon;
beforeAll(async () => {
  const config = '[limits]\nbody-bytes = 65536\n[agents.broken]\ncommand = "/nonexistent/agent"\n';
  daemon = await startDaemon({ config });
});
afterAll(() => daemon.stop());

const INITIALIZE = { protocolVersion: 1, clientCapabilities: {} };
let count = 0;

interface Setting {
  path?: string;
  agent?: string;
  headers?: Record<string, string> | (() => Record<string, string>);
  fetch?: typeof fetch;
}

function connect(setting: Setting = {}): AcpPeer {
  count += 1;
  const { path = `/v1/acp/refused-${count}`, agent = "demo", headers = daemon.headers, ...rest } = setting;
  const peer = new AcpPeer(
    httpTransport({
      url: daemon.baseUrl + path,
      headers,
      start: { agent },
      retry: { attempts: 1, initialMs: 1 },
      ...rest,
    }),
  );
  onTestFinished(() => peer.close());
  return peer;
}

async function refusal(promise: Promise<unknown>): Promise<HttpStatusError> {
  const error = await promise.catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(HttpStatusError);
  return error as HttpStatusError;
}

describe("defect A", () => {
  test("400 unknown agent: the call rejects, and another agent can be started on the same connection's address", async () => {
    const error = await refusal(
      connect({ agent: "nosuch", path: "/v1/acp/same" }).request("initialize", INITIALIZE),
    );
    expect(error).toMatchObject({ status: 400, outcome: "not-sent" });
    expect(JSON.parse(error.body)).toMatchObject({ type: "urn:sandbox-agent:error:unsupported_agent" });
    expect(await connect({ path: "/v1/acp/same" }).request("initialize", INITIALIZE)).toMatchObject({
      protocolVersion: 1,
    });
  });

  test("401: a later attempt with the right token works on the same connection", async () => {
    let headers: Record<string, string> = { Authorization: "Bearer wrong" };
    const peer = connect({ headers: () => headers });
    expect((await refusal(peer.request("initialize", INITIALIZE))).status).toBe(401);
    headers = daemon.headers;
    expect(await peer.request("initialize", INITIALIZE)).toMatchObject({ protocolVersion: 1 });
    expect(await peer.request("session/list", {})).toMatchObject({ sessions: [] });
  });

  test("404: a path that is no ACP endpoint", async () => {
    expect((await refusal(connect({ path: "/v1/nothing" }).request("initialize", INITIALIZE))).status).toBe(
      404,
    );
  });

  test("409: a server that runs another agent", async () => {
    await connect({ path: "/v1/acp/taken" }).request("initialize", INITIALIZE);
    const other = connect({ path: "/v1/acp/taken", agent: "broken" });
    expect((await refusal(other.request("initialize", INITIALIZE))).status).toBe(409);
  });

  test("413: a message that is too large, and the next one passes", async () => {
    const peer = connect();
    await peer.request("initialize", INITIALIZE);
    const error = await refusal(peer.request("session/list", { cursor: "x".repeat(100_000) }));
    expect(error).toMatchObject({ status: 413, outcome: "not-sent" });
    expect(await peer.request("session/list", {})).toMatchObject({ sessions: [] });
  });

  test("415: a body of another type", async () => {
    const plain: typeof fetch = (url, init) =>
      fetch(url, { ...init, headers: { ...(init?.headers as object), "Content-Type": "text/plain" } });
    expect((await refusal(connect({ fetch: plain }).request("initialize", INITIALIZE))).status).toBe(415);
  });

  test("502: an agent that cannot be started", async () => {
    const error = await refusal(connect({ agent: "broken" }).request("initialize", INITIALIZE));
    expect(error).toMatchObject({ status: 502, outcome: "unknown" });
  });

  test("a gateway that answers 502 and 503 once does not lose a notification that can be repeated", async () => {
    const statuses = [503, 502];
    const flaky: typeof fetch = (url, init) => {
      const isCancel = typeof init?.body === "string" && init.body.includes("session/cancel");
      const status = isCancel ? statuses.shift() : undefined;
      return status === undefined ? fetch(url, init) : Promise.resolve(new Response("gateway", { status }));
    };
    const url = `${daemon.baseUrl}/v1/acp/gateway`;
    const retry = { attempts: 5, initialMs: 1 };
    const peer = new AcpPeer(
      httpTransport({ url, headers: daemon.headers, start: { agent: "demo" }, fetch: flaky, retry }),
    );
    onTestFinished(() => peer.close());
    await peer.request("initialize", INITIALIZE);
    const { sessionId } = await peer.request<{ sessionId: string }>("session/new", {
      cwd: "/",
      mcpServers: [],
    });
    const turn = peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hang" }] });
    await peer.notify("session/cancel", { sessionId });
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(statuses).toEqual([]);
  });

  test("nobody listens: the call rejects as not sent", async () => {
    const peer = new AcpPeer(
      httpTransport({ url: `http://127.0.0.1:${await freePort()}/v1/acp/x`, retry: { attempts: 0 } }),
    );
    onTestFinished(() => peer.close());
    const error = await peer.request("initialize", INITIALIZE).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error).toMatchObject({ outcome: "not-sent" });
  });

  test("through a stream, a refusal is an error response for that id, and nothing else fails", async () => {
    const stream = openStream(
      httpTransport({
        url: `${daemon.baseUrl}/v1/acp/stream`,
        headers: daemon.headers,
        start: { agent: "nosuch" },
      }),
    );
    onTestFinished(() => stream.close());
    const writer = stream.writable.getWriter();
    const reader = stream.readable.getReader();
    await writer.write({ jsonrpc: "2.0", id: 7, method: "initialize", params: INITIALIZE });
    expect((await reader.read()).value).toMatchObject({
      id: 7,
      error: { code: -32603, data: { name: "HttpStatusError", status: 400, outcome: "not-sent" } },
    });
    await writer.write({ jsonrpc: "2.0", id: "x", method: "initialize", params: INITIALIZE });
    expect((await reader.read()).value).toMatchObject({ id: "x", error: { code: -32603 } });
  });
});

test("a socket that is refused says with which status", async () => {
  const url = `${daemon.baseUrl}/v1/acp/socket-refused`;
  const headers = { Authorization: "Bearer wrong" };
  const peer = new AcpPeer(webSocketTransport({ url, headers, start: { agent: "demo" }, WebSocket }));
  await expect(peer.request("initialize", INITIALIZE)).rejects.toMatchObject({
    name: "ConnectionClosedError",
  });
  expect(await peer.closed).toMatchObject({
    kind: "failed",
    error: { name: "HttpStatusError", status: 401 },
  });
});

test("the standard transport starts with initialize", async () => {
  const peer = new AcpPeer(
    standardHttpTransport({ url: `${daemon.baseUrl}/acp?agent=demo`, headers: daemon.headers }),
  );
  onTestFinished(() => peer.close());
  await expect(peer.request("session/list", {})).rejects.toBeInstanceOf(ProtocolError);
  expect(await peer.request("initialize", INITIALIZE)).toMatchObject({ protocolVersion: 1 });
});

test("a message that JSON cannot express rejects, and a failing header function does too", async () => {
  const peer = connect();
  await expect(peer.request("initialize", { big: 1n })).rejects.toMatchObject({ outcome: "not-sent" });
  expect(await peer.request("initialize", INITIALIZE)).toMatchObject({ protocolVersion: 1 });
  const broken = connect({
    headers: () => {
      throw new Error("no token");
    },
  });
  await expect(broken.request("initialize", INITIALIZE)).rejects.toThrow("no token");
});
