// A server that is not ours: the official SDK's implementation of the remote transport, with an agent made with the SDK.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { agent } from "@agentclientprotocol/sdk";
import {
  createNodeHttpHandler,
  createNodeWebSocketUpgradeHandler,
} from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { startTcpProxy } from "@sandbox-agent/testkit";
import {
  AcpTransportError,
  type JsonRpcMessage,
  openStream,
  standardHttpTransport,
  standardWebSocketTransport,
  type Transport,
} from "acp-http-client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import {
  CLIENTS,
  counted,
  type DemoClient,
  openPeer,
  prompt,
  said,
  start,
  until,
} from "./demo-client/demo.ts";

/** Turns that wait until they are canceled, by session. */
const hanging = new Map<string, () => void>();
let sessions = 0;

function text(sessionId: string, words: string): object {
  return {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } },
  };
}

/** An agent that counts, asks for permission, hangs or fails. */
function createAgent(): ReturnType<typeof agent> {
  return agent({ name: "other" })
    .onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: {} }))
    .onRequest("session/new", () => {
      sessions += 1;
      return { sessionId: `session-${sessions}` };
    })
    .onRequest("session/prompt", async ({ params, client }) => {
      const { sessionId } = params;
      const [block] = params.prompt;
      const words = block?.type === "text" ? block.text : "";
      const say = (line: string): Promise<void> =>
        client.notify("session/update", text(sessionId, line) as never);
      if (words === "fail") throw new Error("no luck");
      if (words === "hang") {
        await say("begun");
        await new Promise<void>((resolve) => hanging.set(sessionId, resolve));
        return { stopReason: "cancelled" as const };
      }
      if (words === "ask") {
        const { outcome } = await client.request("session/request_permission", {
          sessionId,
          toolCall: { toolCallId: "call", title: "Deploy" },
          options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
        });
        await say(outcome.outcome === "selected" ? outcome.optionId : outcome.outcome);
      } else for (let number = 1; number <= 100; number += 1) await say(`${number} `);
      return { stopReason: "end_turn" as const };
    })
    .onNotification("session/cancel", ({ params }) => hanging.get(params.sessionId)?.());
}

let server: Server;
let acp: AcpServer;
let baseUrl: string;
beforeAll(async () => {
  acp = new AcpServer({ createAgent });
  server = createServer(createNodeHttpHandler(acp));
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", createNodeWebSocketUpgradeHandler(acp, sockets as never));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/acp`;
});
afterAll(async () => {
  await acp.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const OTHER: Record<string, (url: string) => Transport> = {
  http: (url) => standardHttpTransport({ url, reconnect: { initialMs: 10, maxMs: 50, attempts: 40 } }),
  "web socket": (url) => standardWebSocketTransport({ url, WebSocket }),
};

for (const [name, make] of Object.entries(OTHER))
  for (const [kind, open] of Object.entries(CLIENTS))
    describe(`${name}, ${kind}`, () => {
      function opened(): DemoClient {
        const demo = open(make(baseUrl));
        onTestFinished(() => demo.close());
        return demo;
      }

      test("prompts in two sessions", async () => {
        const demo = opened();
        const first = await start(demo);
        const { sessionId: second } = await demo.request<{ sessionId: string }>("session/new", {
          cwd: "/",
          mcpServers: [],
        });
        expect(await Promise.all([prompt(demo, first, "count"), prompt(demo, second, "count")])).toEqual([
          "end_turn",
          "end_turn",
        ]);
        expect([said(demo, first), said(demo, second)]).toEqual([counted(100), counted(100)]);
      });

      test("a permission round trip", async () => {
        const demo = opened();
        const session = await start(demo);
        expect(await prompt(demo, session, "ask")).toBe("end_turn");
        expect([demo.asked, said(demo, session)]).toEqual([["Deploy"], "yes"]);
      });

      test("cancel", async () => {
        const demo = opened();
        const session = await start(demo);
        const turn = prompt(demo, session, "hang");
        await until(() => said(demo, session) === "begun");
        await demo.notify("session/cancel", { sessionId: session });
        expect(await turn).toBe("cancelled");
      });

      test("an error rejects its request only", async () => {
        const demo = opened();
        const session = await start(demo);
        await expect(prompt(demo, session, "fail")).rejects.toMatchObject({ code: -32603 });
        expect(await prompt(demo, session, "count")).toBe("end_turn");
      });
    });

test("defect G: a request of the agent may have the id of a pending request of the client", async () => {
  const stream = openStream(standardHttpTransport({ url: baseUrl }));
  onTestFinished(() => stream.close());
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  const next = async (): Promise<JsonRpcMessage | undefined> => (await reader.read()).value;
  const send = (message: object): Promise<void> =>
    writer.write({ jsonrpc: "2.0", ...message } as JsonRpcMessage);
  await send({ id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
  await next();
  await send({ id: 2, method: "session/new", params: { cwd: "/", mcpServers: [] } });
  const created = (await next()) as { result: { sessionId: string } };
  // The agent counts its own requests from 0.
  const { sessionId } = created.result;
  await send({
    id: 0,
    method: "session/prompt",
    params: { sessionId, prompt: [{ type: "text", text: "ask" }] },
  });
  expect(await next()).toMatchObject({ id: 0, method: "session/request_permission" });
  await send({ id: 0, result: { outcome: { outcome: "selected", optionId: "yes" } } });
  expect(await next()).toMatchObject({ method: "session/update" });
  expect(await next()).toMatchObject({ id: 0, result: { stopReason: "end_turn" } });
});

test("a server without event ids: a broken stream is a gap, its requests fail, and the session continues", async () => {
  const proxy = await startTcpProxy(baseUrl);
  const demo = openPeer(
    standardHttpTransport({ url: `${proxy.baseUrl}/acp`, reconnect: { initialMs: 10, maxMs: 50 } }),
  );
  onTestFinished(async () => {
    await demo.close();
    await proxy[Symbol.asyncDispose]();
  });
  const session = await start(demo);
  const turn = prompt(demo, session, "hang").catch((error: unknown) => error);
  await until(() => said(demo, session) === "begun");
  proxy.cut();
  expect(await turn).toMatchObject({ name: "ResponseLostError", outcome: "unknown" });
  await until(() => demo.events.filter(({ type }) => type === "gap").length === 2);
  expect(await prompt(demo, session, "count")).toBe("end_turn");
  expect(said(demo, session)).toBe(`begun${counted(100)}`);
});

test("a connection that the server closes is gone", async () => {
  for (const make of Object.values(OTHER)) {
    const own = new AcpServer({ createAgent });
    const http = createServer(createNodeHttpHandler(own));
    const sockets = new WebSocketServer({ noServer: true });
    http.on("upgrade", createNodeWebSocketUpgradeHandler(own, sockets as never));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const demo = openPeer(make(`http://127.0.0.1:${(http.address() as AddressInfo).port}/acp`));
    const session = await start(demo);
    const turn = prompt(demo, session, "hang").catch((error: unknown) => error);
    await until(() => said(demo, session) === "begun");
    await own.close();
    expect(await turn).toBeInstanceOf(AcpTransportError);
    expect((await demo.closed).kind).toMatch(/^(gone|failed)$/);
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
});
