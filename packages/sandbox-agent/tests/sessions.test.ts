// Sessions: create, find, list, change, fork, export, import, read.

import { randomUUID } from "node:crypto";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import {
  ConflictError,
  GapError,
  InvalidRequestError,
  InvalidValueError,
  NotFoundError,
  SandboxAgent,
  TooManyRequestsError,
  UnsupportedError,
} from "sandbox-agent";
import { afterAll, beforeAll, expect, test } from "vitest";

let daemon: Daemon;
let client: SandboxAgent;

beforeAll(async () => {
  daemon = await startDaemon({ config: "[sessions]\nqueue = 2\nevents = 200\n" });
  client = await SandboxAgent.connect(daemon.connection);
});

afterAll(() => daemon.stop());

test("the same key creates one session, however often and from wherever it is used", async () => {
  const idempotencyKey = randomUUID();
  const create = () => client.sessions.create({ agent: "demo", idempotencyKey });
  const ids = await Promise.all([create(), create(), create()]);
  expect(new Set(ids.map((session) => session.id)).size).toBe(1);
});

test("a session that cannot be created says why, with the error of its code", async () => {
  const attempt = (options: Parameters<typeof client.sessions.create>[0]) =>
    client.sessions.create(options).catch((error: unknown) => error);
  expect(await attempt({ agent: "nobody" })).toBeInstanceOf(InvalidValueError);
  expect(await attempt({ agent: "demo", cwd: "/does/not/exist" })).toBeInstanceOf(InvalidValueError);
  expect(await attempt({ agent: "demo", agentMode: "no-such-mode" })).toBeInstanceOf(UnsupportedError);
  expect(await attempt({ agent: "demo", id: "not/an id" })).toBeInstanceOf(InvalidRequestError);
  const { id } = await client.sessions.create({ agent: "demo", id: `mine-${randomUUID()}` });
  const again = await attempt({ agent: "demo", id });
  expect(again).toBeInstanceOf(ConflictError);
  expect(again).toMatchObject({ what: "exists", problem: { sessionId: id } });
  await expect(client.sessions.get("nobody-has-this")).rejects.toBeInstanceOf(NotFoundError);
});

test("metadata goes in and comes back; the list can be filtered by it and is read page by page", async () => {
  const team = randomUUID();
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    const session = await client.sessions.create({
      agent: "demo",
      metadata: { team, index, nested: { ok: true } },
    });
    ids.unshift(session.id);
  }
  const listed: string[] = [];
  for await (const info of client.sessions.list({ metadata: { team }, limit: 2 }))
    listed.push(info.sessionId);
  expect(listed).toEqual(ids);
  for await (const info of client.sessions.list({ metadata: { team }, limit: 1 })) {
    expect(info.metadata).toEqual({ team, index: 4, nested: { ok: true } });
    break;
  }
  const session = await client.sessions.get(ids[0] ?? "");
  await session.update({ title: "A title", metadata: { index: null, more: 1 } });
  expect(session.info).toMatchObject({ title: "A title", metadata: { team, more: 1 } });
  expect(session.info.metadata).not.toHaveProperty("index");
});

test("a fork and an imported export have the history", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  await session.send("say remember me").done;
  const fork = await session.fork({ title: "The copy" });
  expect(fork.info).toMatchObject({ title: "The copy", forkedFrom: session.id });
  const copy = await client.sessions.import(await session.export(), { id: `copy-${randomUUID()}` });
  for (const other of [fork, copy]) {
    const { messages } = await other.messages();
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant"]);
    const result = await other.send("say and on").done;
    expect(JSON.stringify(result.messages)).toContain("and on");
  }
  await session.terminate();
  await expect(session.send("say more").done).rejects.toMatchObject({ name: "ConflictError", what: "ended" });
  await session.delete();
  await session.delete();
});

test("too many queued messages are refused, and none is lost", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  const first = session.send("hang");
  for await (const event of first) if (event.type === "turnStarted") break;
  const others = [1, 2, 3].map((number) => session.send(`say ${number}`));
  const outcomes = await Promise.allSettled(others.map((turn) => turn.accepted));
  const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  expect(refused).toHaveLength(1);
  expect(refused[0]).toBeInstanceOf(TooManyRequestsError);
  await session.refresh();
  expect(session.info.queue).toHaveLength(2);
  const [queued] = session.info.queue;
  const followed = session.turn(queued?.turnId);
  expect(followed).toBeDefined();
  await session.cancel();
  await expect(followed?.done).rejects.toMatchObject({ name: "MessageWithdrawnError", by: "cancelled" });
});

test("a message can interrupt the one before", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  const first = session.send("hang");
  for await (const event of first) if (event.type === "turnStarted") break;
  const second = session.send([{ type: "text", text: "say now" }], { delivery: "interrupt" });
  expect((await second.done).text).toBe("now");
  expect((await first.done).stopReason).toBe("cancelled");
});

test("events that are no longer kept are a gap, never silence", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  // The turn outgrows the log while it is watched, and its end is still seen.
  expect((await session.send("stream 500").done).stopReason).toBe("endTurn");
  await expect(session.events().next()).rejects.toBeInstanceOf(GapError);
  const gaps: number[] = [];
  for await (const event of session.events({ onGap: ({ oldest }) => gaps.push(oldest) })) {
    expect(event.id).toBe(gaps[0]);
    break;
  }
  expect(gaps).toHaveLength(1);
});

test("selected events and pages", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  await session.send("say one").done;
  await session.send("say two").done;
  const types = ["turnStarted", "turnEnded"] as const;
  const page = await session.eventPage({ types, limit: 3 });
  expect(page.events.map((event) => event.type)).toEqual(["turnStarted", "turnEnded", "turnStarted"]);
  const rest = await session.eventPage({ types, after: page.next });
  expect(rest.events.map((event) => event.type)).toEqual(["turnEnded"]);
  const newest = await session.messages({ order: "desc", limit: 1 });
  expect(newest.messages[0]?.parts).toMatchObject([{ type: "text", text: "two" }]);
  expect((await client.info()).name).toBe("sandbox-agent");
  expect((await client.health()).status).toBe("ok");
});
