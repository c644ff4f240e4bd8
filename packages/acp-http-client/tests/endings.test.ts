// How connections end: the daemon restarts, the agent exits, somebody deletes the server.

import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { AcpPeer, httpTransport } from "acp-http-client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  CLIENTS,
  type DemoClient,
  initialize,
  newSession,
  openPeer,
  prompt,
  said,
  start,
  until,
} from "./demo-client/demo.ts";
import { demoServer, TRANSPORTS } from "./demo-client/transports.ts";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.stop());

for (const [name, make] of Object.entries(TRANSPORTS))
  for (const [kind, open] of Object.entries(CLIENTS))
    describe(`${name}, ${kind}`, () => {
      async function connect(): Promise<{ demo: DemoClient; session: string }> {
        const demo = open(make(daemon, { reconnect: { initialMs: 20, maxMs: 200, attempts: 40 } }));
        onTestFinished(() => demo.close());
        return { demo, session: await start(demo) };
      }

      test("defect C: a restart of the server settles what is pending and is reported", async () => {
        const { demo, session } = await connect();
        const turn = prompt(demo, session, "say begun\nhang").catch((error: unknown) => error);
        await until(() => said(demo, session) === "begun");
        await daemon.restart();
        expect(await turn).toBeInstanceOf(Error);
        expect((await demo.closed).kind).toMatch(/^(gone|failed)$/);
        await expect(prompt(demo, session, "say late")).rejects.toBeInstanceOf(Error);
        const again = await connect();
        expect(await prompt(again.demo, again.session, "say back")).toBe("end_turn");
      });

      test("the exit of the agent fails its pending requests", async () => {
        const { demo, session } = await connect();
        const crash = prompt(demo, session, "say bye\ncrash 3").catch((error: unknown) => error);
        expect(await crash).toBeInstanceOf(Error);
        expect(said(demo, session)).toBe("bye");
        const reason = await demo.closed;
        expect(reason.kind).not.toBe("closed");
        if (reason.kind === "exit") expect(reason.exit).toMatchObject({ code: 3, signal: null });
      });
    });

test("the exit of the agent is an event with its code and its last words", async () => {
  const demo = openPeer(demoServer(daemon));
  const session = await start(demo);
  const waiting = prompt(demo, session, "hang").catch((error: unknown) => error);
  const crash = prompt(demo, await newSession(demo), "crash 7");
  await expect(crash).rejects.toMatchObject({ data: { code: 7 } });
  expect(await waiting).toMatchObject({
    data: { code: 7, signal: null, stderrTail: expect.stringContaining("crash") },
  });
  expect(await demo.closed).toMatchObject({ kind: "exit", exit: { code: 7 } });
  expect(demo.events.map(({ type }) => type)).toEqual(["exit", "closed"]);
});

test("a line that is no message is an event", async () => {
  const demo = openPeer(demoServer(daemon));
  onTestFinished(() => demo.close());
  const session = await start(demo);
  await prompt(demo, session, "garbage text");
  expect(demo.events).toMatchObject([{ type: "unparsed", truncated: false, reason: expect.any(String) }]);
});

test("a server that another client deletes is the end of its connection", async () => {
  const url = `${daemon.baseUrl}/v1/acp/shared`;
  const first = new AcpPeer(httpTransport({ url, headers: daemon.headers, start: { agent: "demo" } }));
  const second = new AcpPeer(httpTransport({ url, headers: daemon.headers }));
  await first.request("initialize", { protocolVersion: 1 });
  await second.request("session/list", {});
  await first.close();
  expect((await second.closed).kind).toMatch(/^(exit|gone)$/);
});

test("an aborted signal closes the connection, also while it connects", async () => {
  for (const make of Object.values(TRANSPORTS)) {
    const controller = new AbortController();
    const peer = new AcpPeer(make(daemon), { signal: controller.signal });
    const pending = peer.request("initialize", { protocolVersion: 1 }).catch((error: unknown) => error);
    controller.abort(new Error("enough"));
    expect(await pending).toBeInstanceOf(Error);
    expect(await peer.closed).toMatchObject({ kind: "aborted", cause: { message: "enough" } });
  }
});

test("an aborted request is canceled at the agent, and the connection lives", async () => {
  for (const make of Object.values(TRANSPORTS)) {
    const peer = new AcpPeer(make(daemon));
    onTestFinished(() => peer.close());
    await peer.request("initialize", { protocolVersion: 1 });
    const { sessionId } = await peer.request<{ sessionId: string }>("session/new", {
      cwd: "/",
      mcpServers: [],
    });
    const controller = new AbortController();
    const text = (line: string): object => ({ sessionId, prompt: [{ type: "text", text: line }] });
    const turn = peer.request("session/prompt", text("hang"), { signal: controller.signal });
    const next = peer.request("session/prompt", text("say next"));
    controller.abort(new Error("enough"));
    await expect(turn).rejects.toThrow("enough");
    expect(await next).toMatchObject({ stopReason: "end_turn" });
  }
});

test("initialize works again after a close", async () => {
  const url = `${daemon.baseUrl}/v1/acp/again`;
  for (let round = 0; round < 2; round += 1) {
    const demo = openPeer(httpTransport({ url, headers: daemon.headers, start: { agent: "demo" } }));
    expect((await initialize(demo)).protocolVersion).toBe(1);
    await demo.close();
  }
});
