// Promises that hold while the daemon is killed, restarted, slow or unreachable.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import {
  ConnectionError,
  SandboxAgent,
  TimeoutError,
  TokenInvalidError,
  UnexpectedResponseError,
  type UniversalEvent,
} from "sandbox-agent";
import { afterEach, expect, onTestFinished, test } from "vitest";

const unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));
afterEach(() => expect(unhandled).toEqual([]));

async function start(config = ""): Promise<Daemon> {
  const daemon = await startDaemon({ config });
  onTestFinished(() => daemon.stop());
  return daemon;
}

test("iteration continues over a killed daemon: nothing is missing, nothing comes twice", async () => {
  const daemon = await start();
  const client = await SandboxAgent.connect(daemon.connection);
  const session = await client.sessions.create({ agent: "demo" });
  const seen: UniversalEvent[] = [];
  const reading = (async () => {
    for await (const event of session.events()) {
      seen.push(event);
      if (event.type === "turnEnded" && event.data.turnEnded.stopReason === "endTurn") return;
    }
  })();
  const turn = session.send("stream 100000 100 every 1");
  for await (const event of turn) if (event.type === "messageDelta") break;
  await daemon.restart();
  expect(await turn.done).toMatchObject({ stopReason: "unknown", reason: "daemonRestarted" });
  expect((await session.send("say again").done).text).toBe("again");
  await reading;
  expect(seen.map((event) => event.id)).toEqual(seen.map((_, index) => index + 1));
  const page = await session.eventPage({ after: 0, limit: 1000 });
  expect(seen.slice(0, page.events.length)).toEqual(page.events);
});

test("a message that waited during a restart is sent on by the client that awaits it", async () => {
  const daemon = await start();
  const client = await SandboxAgent.connect(daemon.connection);
  const session = await client.sessions.create({ agent: "demo" });
  const running = session.send("hang");
  for await (const event of running) if (event.type === "turnStarted") break;
  const waiting = session.send("say still here");
  await waiting.accepted;
  const done = waiting.done;
  await daemon.restart();
  expect((await done).text).toBe("still here");
  expect((await running.done).reason).toBe("daemonRestarted");
});

test("calls wait for a daemon that is being started", async () => {
  const daemon = await start();
  await daemon.kill();
  const connecting = SandboxAgent.connect(daemon.connection);
  await daemon.start();
  const client = await connecting;
  await daemon.kill();
  const listing = client.sessions.page();
  await daemon.start();
  expect((await listing).sessions).toEqual([]);
});

test("connecting fails with the reason: wrong token, nobody there, not a daemon", async () => {
  const daemon = await start();
  const { baseUrl } = daemon;
  const wrong = await SandboxAgent.connect({ baseUrl, token: "wrong" }).catch((error: unknown) => error);
  expect(wrong).toBeInstanceOf(TokenInvalidError);
  expect(wrong).toMatchObject({ status: 401, code: "token_invalid" });
  expect((wrong as TokenInvalidError).requestId).toMatch(/^[0-9a-f]{32}$/);
  await daemon.kill();
  const gone = SandboxAgent.connect({ baseUrl, token: "x", healthTimeoutMs: 1_000 });
  await expect(gone).rejects.toMatchObject({ name: "TimeoutError", cause: { name: "ConnectionError" } });
  const stranger = createServer((_, response) => response.writeHead(404).end("<h1>Not here</h1>"));
  await new Promise<void>((listen) => stranger.listen(0, "127.0.0.1", listen));
  onTestFinished(() => void stranger.close());
  const { port } = stranger.address() as AddressInfo;
  const foreign = SandboxAgent.connect({ baseUrl: `http://127.0.0.1:${port}` });
  const error = await foreign.catch((error: unknown) => error);
  expect(error).toBeInstanceOf(UnexpectedResponseError);
  expect(error).toMatchObject({ status: 404, body: "<h1>Not here</h1>" });
});

test("a call that is too slow or aborted settles at once", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((listen) => silent.listen(0, "127.0.0.1", listen));
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const client = await SandboxAgent.connect({
    baseUrl: `http://127.0.0.1:${port}`,
    healthTimeoutMs: 0,
    timeoutMs: 50,
  });
  await expect(client.health()).rejects.toBeInstanceOf(TimeoutError);
  const reason = new Error("enough");
  await expect(client.health({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const controller = new AbortController();
  const pending = client.health({ signal: controller.signal, timeoutMs: 0 });
  controller.abort(reason);
  await expect(pending).rejects.toBe(reason);
});

test("a stream gives up after its attempts and says why", async () => {
  const daemon = await start();
  const reconnect = { initialMs: 1, maxMs: 2, attempts: 3 };
  const client = await SandboxAgent.connect({ ...daemon.connection, reconnect });
  const session = await client.sessions.create({ agent: "demo" });
  const events = session.events();
  await events.next();
  const rest = (async () => {
    for await (const _ of events);
  })();
  const failed = rest.catch((error: unknown) => error);
  await daemon.kill();
  expect(await failed).toBeInstanceOf(ConnectionError);
});

test("a consumer that is slow holds the agent back and misses nothing", async () => {
  const daemon = await start();
  const client = await SandboxAgent.connect(daemon.connection);
  const session = await client.sessions.create({ agent: "demo" });
  const turn = session.send("flood 4000 1000");
  let last: number | undefined;
  for await (const event of turn) {
    if (last !== undefined) expect(event.id).toBe(last + 1);
    last = event.id;
    if (event.id % 1000 === 0) await new Promise((resume) => setTimeout(resume, 50));
  }
  expect((await turn.done).stopReason).toBe("endTurn");
});

test("an answer of a gateway that has no end is read in part", async () => {
  const gateway = createServer((_, response) => {
    response.writeHead(502, { "Content-Type": "text/html" });
    const write = (): void => {
      while (!response.destroyed && response.write("<p>bad gateway</p>".repeat(1_000)));
    };
    response.on("drain", write);
    write();
  });
  await new Promise<void>((listening) => gateway.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void gateway.close());
  const { port } = gateway.address() as AddressInfo;
  const client = SandboxAgent.open({ baseUrl: `http://127.0.0.1:${port}` });
  const error = await client.processes.run({ command: "true" }).then(undefined, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnexpectedResponseError);
  expect(error).toMatchObject({ status: 502 });
});
