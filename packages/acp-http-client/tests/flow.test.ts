// Order, back-pressure, gaps, clients that share an agent, and servers that answer requests with their response.

import { randomUUID } from "node:crypto";
import { type Daemon, startDaemon, startTcpProxy } from "@sandbox-agent/testkit";
import {
  AcpPeer,
  httpTransport,
  type JsonRpcMessage,
  OverflowError,
  openStream,
  standardHttpTransport,
  type TransportEvent,
} from "acp-http-client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { counted, newSession, openPeer, prompt, said, start, until } from "./demo-client/demo.ts";
import { demoServer, RESUMABLE, TRANSPORTS } from "./demo-client/transports.ts";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await startDaemon({
    config:
      "[limits]\nearly-answer-ms = 100\nheartbeat-ms = 50\nlog-bytes = 1048576\nreader-lag-bytes = 65536\n",
  });
});
afterAll(() => daemon.stop());

/** Reads messages of a raw stream and answers nothing. */
async function* messages(readable: ReadableStream<JsonRpcMessage>): AsyncGenerator<JsonRpcMessage> {
  const reader = readable.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

/** Requests that the daemon waits for, of one server. */
async function pendingRequests(url: string): Promise<number> {
  const response = await fetch(`${daemon.baseUrl}/v1/acp`, { headers: daemon.headers });
  const { servers } = (await response.json()) as { servers: { serverId: string; pendingRequests: number }[] };
  return servers.find(({ serverId }) => url.endsWith(serverId))?.pendingRequests ?? 0;
}

/** Counts the chunks of a turn while reading slower than the agent writes. */
async function countSlowly(inbox: AsyncGenerator<JsonRpcMessage>, promptId: number): Promise<number> {
  let chunks = 0;
  for await (const message of inbox) {
    if ("result" in message && message.id === promptId) return chunks;
    if (JSON.stringify(message).includes("agent_message_chunk")) chunks += 1;
    if (chunks % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return chunks;
}

describe("a slow reader", () => {
  for (const [name, make] of Object.entries(TRANSPORTS))
    test(`${name}: gets every message of a flood, and holds the agent back meanwhile`, async () => {
      const events: TransportEvent[] = [];
      const stream = openStream(make(daemon), { onEvent: (event) => events.push(event) });
      onTestFinished(() => stream.close());
      const writer = stream.writable.getWriter();
      const inbox = messages(stream.readable);
      const send = (message: object): Promise<void> =>
        writer.write({ jsonrpc: "2.0", ...message } as JsonRpcMessage);
      const answer = async (): Promise<unknown> => {
        for (;;) {
          const { value } = await inbox.next();
          if ("result" in value) return value.result;
        }
      };
      await send({ id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
      await answer();
      await send({ id: 1, method: "session/new", params: { cwd: "/", mcpServers: [] } });
      const { sessionId } = (await answer()) as { sessionId: string };
      const text = "flood 3000 1000";
      await send({
        id: 2,
        method: "session/prompt",
        params: { sessionId, prompt: [{ type: "text", text }] },
      });
      expect(await countSlowly(inbox, 2)).toBe(3000);
      expect(events).toEqual([]);
    });
});

test("a reader that stops gets a gap, and its requests fail", async () => {
  const proxy = await startTcpProxy(daemon.baseUrl);
  const url = `${proxy.baseUrl}/v1/acp/${randomUUID()}`;
  const reconnect = { initialMs: 20, maxMs: 200, attempts: 1_000 };
  const demo = openPeer(httpTransport({ url, headers: daemon.headers, start: { agent: "demo" }, reconnect }));
  onTestFinished(async () => {
    await demo.close();
    await proxy[Symbol.asyncDispose]();
  });
  const session = await start(demo);
  const other = await newSession(demo);
  const lost = prompt(demo, other, "hang").catch((error: unknown) => error);
  const flood = prompt(demo, session, "flood 4000 1000\nsay end").catch((error: unknown) => error);
  await until(() => said(demo, session).length > 0);
  proxy.refuse();
  proxy.cut();
  // Until the flood is over, and the log has moved on.
  while ((await pendingRequests(url)) > 1) await new Promise((resolve) => setTimeout(resolve, 50));
  proxy.pass();
  expect(await flood).toMatchObject({ name: "ResponseLostError" });
  expect(await lost).toMatchObject({ name: "ResponseLostError" });
  expect(demo.events).toContainEqual(expect.objectContaining({ type: "gap", oldest: expect.any(Number) }));
  expect(await prompt(demo, await newSession(demo), "say here")).toBe("end_turn");
});

test("clients that share an agent use equal ids and get their own responses", async () => {
  const url = `${daemon.baseUrl}/v1/acp/${randomUUID()}`;
  const shared = { url, headers: daemon.headers, deleteOnClose: false };
  const first = openPeer(httpTransport({ ...shared, start: { agent: "demo" }, deleteOnClose: true }));
  const session = await start(first);
  const others = Array.from({ length: 4 }, () => openPeer(httpTransport(shared)));
  const sessions = await Promise.all(others.map((other) => newSession(other)));
  expect(new Set([session, ...sessions]).size).toBe(5);
  const reasons = others.map((other, index) =>
    prompt(other, sessions[index] ?? "", `stream 50 every 1\nsay ${index}`),
  );
  expect(await Promise.all(reasons)).toEqual(Array(4).fill("end_turn"));
  for (const [index, other] of others.entries()) {
    expect(said(other, sessions[index] ?? "")).toBe(`${counted(50)}${index}`);
    await other.close();
  }
  // Closing the others has not ended the agent.
  expect(await prompt(first, session, "say still here")).toBe("end_turn");
  await first.close();
});

describe("a server that answers requests with their response", () => {
  /** Hides the preference from the daemon. */
  const plain: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.delete("Prefer");
    return fetch(url, { ...init, headers });
  };

  test("a turn that outlasts the early answer ends, and a cancel overtakes it", async () => {
    const url = `${daemon.baseUrl}/v1/acp/${randomUUID()}`;
    const demo = openPeer(
      httpTransport({ url, headers: daemon.headers, start: { agent: "demo" }, fetch: plain }),
    );
    onTestFinished(() => demo.close());
    const session = await start(demo);
    expect(await prompt(demo, session, "sleep 400\nsay done")).toBe("end_turn");
    const turn = prompt(demo, session, "say begun\nhang");
    await until(() => said(demo, session).endsWith("begun"));
    await demo.notify("session/cancel", { sessionId: session });
    expect(await turn).toBe("cancelled");
  });

  test("a turn whose answer is cut is answered on the stream", async () => {
    const proxy = await startTcpProxy(daemon.baseUrl);
    const url = `${proxy.baseUrl}/v1/acp/${randomUUID()}`;
    let isAnswered = false;
    const watched: typeof fetch = async (address, init) => {
      const response = await plain(address, init);
      if (String(init?.body).includes('"session/prompt"')) isAnswered = true;
      return response;
    };
    const demo = openPeer(
      httpTransport({ url, headers: daemon.headers, start: { agent: "demo" }, fetch: watched }),
    );
    onTestFinished(async () => {
      await demo.close();
      await proxy[Symbol.asyncDispose]();
    });
    const session = await start(demo);
    const turn = prompt(demo, session, "say begun\nsleep 1200\nsay done");
    await until(() => isAnswered && said(demo, session) !== "");
    proxy.cut();
    expect(await turn).toBe("end_turn");
    expect(said(demo, session)).toMatch(/done$/);
  });
});

test("messages arrive in the order in which they were sent", async () => {
  for (const make of Object.values(TRANSPORTS)) {
    const demo = openPeer(make(daemon));
    onTestFinished(() => demo.close());
    const session = await start(demo);
    const turns = Array.from({ length: 30 }, (_, index) => prompt(demo, session, `say ${index} `));
    await Promise.all(turns);
    expect(said(demo, session)).toBe(Array.from({ length: 30 }, (_, index) => index).join(""));
  }
});

test("more messages than may wait are refused", async () => {
  const peer = new AcpPeer(demoServer(daemon), { maxQueued: 3 });
  onTestFinished(() => peer.close());
  const requests = Array.from({ length: 5 }, () =>
    peer.request("initialize", { protocolVersion: 1 }).catch((error: unknown) => error),
  );
  const results = await Promise.all(requests);
  expect(results.filter((result) => result instanceof OverflowError)).toHaveLength(2);
});

test("everything settles with a fetch that ignores its signal and never answers", async () => {
  const silent: typeof fetch = () => new Promise(() => undefined);
  const peer = new AcpPeer(httpTransport({ url: `${daemon.baseUrl}/v1/acp/silent`, fetch: silent }), {
    closeMs: 100,
  });
  const request = peer.request("initialize", { protocolVersion: 1 }).catch((error: unknown) => error);
  const notification = peer.notify("session/cancel", { sessionId: "x" }).catch((error: unknown) => error);
  await peer.close();
  expect(await request).toMatchObject({ name: "ConnectionClosedError" });
  expect(await notification).toBeInstanceOf(Error);
});

test("a server whose stream is refused until its first message has been taken", async () => {
  // As servers do that create an agent with the first message, and answer 404 before.
  let refusals = 0;
  const late: typeof fetch = async (url, init) => {
    if (init?.method !== "GET" || refusals >= 1) return fetch(url, init);
    refusals += 1;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return new Response("not found", { status: 404 });
  };
  const url = `${daemon.baseUrl}/v1/acp/${randomUUID()}`;
  const reconnect = { initialMs: 5, maxMs: 20 };
  const demo = openPeer(
    httpTransport({ url, headers: daemon.headers, start: { agent: "demo" }, fetch: late, reconnect }),
  );
  onTestFinished(() => demo.close());
  const session = await start(demo);
  expect(await prompt(demo, session, "say seen")).toBe("end_turn");
  expect(said(demo, session)).toBe("seen");
});

describe("a half-open connection", () => {
  for (const [name, make] of Object.entries(RESUMABLE))
    test(`${name}: is replaced after a time of silence, and the turn continues`, async () => {
      const proxy = await startTcpProxy(daemon.baseUrl);
      const timing = { idleMs: 400, reconnect: { initialMs: 5, maxMs: 50 } };
      const demo = openPeer(make({ baseUrl: proxy.baseUrl, headers: daemon.headers }, timing));
      onTestFinished(async () => {
        // Otherwise closing would use a stalled connection, until its time is over.
        proxy.cut();
        await demo.close();
        await proxy[Symbol.asyncDispose]();
      });
      const session = await start(demo);
      const turn = prompt(demo, session, "stream 300 every 10");
      await until(() => said(demo, session).length > counted(10).length);
      proxy.stall();
      proxy.pass();
      expect(await turn).toBe("end_turn");
      expect(said(demo, session)).toBe(counted(300));
      expect(demo.events.map(({ type }) => type)).toContain("reconnected");
    });
});

test("cookies of a gateway are returned with every later request", async () => {
  const sent: (string | undefined)[] = [];
  const gateway: typeof fetch = async (url, init) => {
    sent.push(new Headers(init?.headers).get("Cookie") ?? undefined);
    const response = await fetch(url, init);
    if (sent.length > 2) return response;
    const headers = new Headers(response.headers);
    headers.append("Set-Cookie", "machine=7; Path=/; HttpOnly");
    return new Response(response.body, { status: response.status, headers });
  };
  const url = `${daemon.baseUrl}/acp?agent=demo`;
  const demo = openPeer(standardHttpTransport({ url, headers: daemon.headers, fetch: gateway }));
  const session = await start(demo);
  await prompt(demo, session, "say hi");
  await demo.close();
  expect(sent[0]).toBeUndefined();
  expect(new Set(sent.slice(1))).toEqual(new Set(["machine=7"]));
});
