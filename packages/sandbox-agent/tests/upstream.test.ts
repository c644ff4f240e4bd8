// Defects of other clients of such daemons, each as a promise of ours.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Daemon, startDaemon, startTcpProxy } from "@sandbox-agent/testkit";
import {
  InvalidValueError,
  PayloadTooLargeError,
  SandboxAgent,
  TurnFailedError,
  type UniversalEvent,
  UnsupportedError,
} from "sandbox-agent";
import { afterEach, beforeEach, expect, test } from "vitest";

const unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

let daemon: Daemon;
let client: SandboxAgent;

beforeEach(async () => {
  daemon = await startDaemon({ config: "[limits]\nbody-bytes = 1048576\n" });
  client = await SandboxAgent.connect(daemon.connection);
});

afterEach(async () => {
  await daemon.stop();
  expect(unhandled).toEqual([]);
});

test("A: a refused request settles its call, kills nothing, and the same client works on", async () => {
  await expect(client.sessions.create({ agent: "nosuch" })).rejects.toBeInstanceOf(InvalidValueError);
  const session = await client.sessions.create({ agent: "demo" });
  await expect(session.send("x".repeat(1_200_000)).done).rejects.toBeInstanceOf(PayloadTooLargeError);
  await expect(session.send("crash").done).rejects.toBeInstanceOf(TurnFailedError);
  expect((await session.send("say still here").done).text).toBe("still here");
});

test("B: a turn outlasts the timeouts of the client, of the runtime and of every gateway", async () => {
  await using gateway = await startTcpProxy(daemon.baseUrl);
  const slow = await SandboxAgent.connect({
    ...daemon.connection,
    baseUrl: gateway.baseUrl,
    timeoutMs: 3_000,
  });
  // Starting an agent may take longer than the timeout, and is not repeated.
  const session = await slow.sessions.get((await client.sessions.create({ agent: "demo" })).id);
  const turn = session.send("stream 15 every 300");
  const seen: UniversalEvent[] = [];
  for await (const event of turn) {
    seen.push(event);
    if (gateway.lifetimeMs !== undefined) continue;
    gateway.lifetimeMs = 400;
    gateway.cut();
  }
  const { events } = await session.eventPage({ after: (seen[0]?.id ?? 1) - 1 });
  expect(seen).toEqual(events);
  expect((await turn.done).stopReason).toBe("endTurn");
  expect(gateway.accepted).toBeGreaterThan(5);
});

test("C: the same session continues after a restart of the daemon, with its memory", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  await session.send("title Remembered").done;
  await daemon.restart();
  expect((await session.send("say and on").done).text).toBe("and on");
  await session.refresh();
  expect(session.info.title).toBe("Remembered");
});

test("D: a stream that fails in the middle of a turn comes back before the permission that follows", async () => {
  await using gateway = await startTcpProxy(daemon.baseUrl);
  const cut = await SandboxAgent.connect({ ...daemon.connection, baseUrl: gateway.baseUrl });
  const session = await cut.sessions.create({ agent: "demo" });
  session.onPermission((permission) => permission.allowOnce());
  const turn = session.send("say first\nsleep 200\npermission Go on\nsay last");
  const done = turn.done;
  for await (const event of turn) if (event.type === "messageDelta") break;
  gateway.cut();
  expect((await done).text).toBe("last");
});

test("E: a turn can be cancelled, and the session is used again", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  const turn = session.send("say started\nhang");
  for await (const event of turn) if (event.type === "messageDelta") break;
  await turn.cancel();
  expect((await turn.done).stopReason).toBe("cancelled");
  expect((await session.send("say next").done).text).toBe("next");
});

test("F: a restored session has the whole history, not its last words", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  for (let index = 0; index < 20; index += 1) await session.send(`stream 20\nsay turn ${index}`).done;
  await daemon.restart();
  const back = await client.sessions.get(session.id);
  await back.resume();
  expect((await back.send("say restored").done).text).toBe("restored");
  const { messages } = await back.messages({ limit: 1000 });
  const said = JSON.stringify(messages);
  for (let index = 0; index < 20; index += 1) expect(said).toContain(`turn ${index}`);
  const memory = (await back.eventPage({ types: ["continuity"] })).events;
  expect(memory.map((event) => event.type === "continuity" && event.data.continuity.kind)).toEqual([
    "native",
  ]);
});

test("G: answers to permissions and every event of a turn are in the log", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  session.onPermission((permission) => permission.allowAlways());
  const turns = [session.send("permission One"), session.send("permission Two\nstream 600")];
  for (const turn of turns) expect((await turn.done).stopReason).toBe("endTurn");
  await session.terminate();
  const log: UniversalEvent[] = [];
  for await (const event of session.events()) log.push(event);
  expect(log.map((event) => event.id)).toEqual(log.map((_, index) => index + 1));
  expect(log.length).toBeGreaterThan(600);
  const replies = log.filter((event) => event.type === "permissionResolved");
  expect(replies.map((event) => event.data.permissionResolved.reply)).toEqual(["always", "always"]);
});

test("H: model and mode are checked with what the agent offers, not with a list of ours", async () => {
  const session = await client.sessions.create({ agent: "demo", model: "demo-large", agentMode: "plan" });
  expect(session.info).toMatchObject({ model: "demo-large", agentMode: "plan" });
  await session.update({ model: "demo-small" });
  expect(session.info.model).toBe("demo-small");
  const wrong = client.sessions.create({ agent: "demo", model: "gpt-0" });
  await expect(wrong).rejects.toBeInstanceOf(UnsupportedError);
  const source = join(import.meta.dirname, "../src");
  for (const file of readdirSync(source, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || file.includes("generated")) continue;
    expect(readFileSync(join(source, file), "utf8"), file).not.toMatch(/gpt-|sonnet|opus/);
  }
});
