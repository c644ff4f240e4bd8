// Mirrored sessions on real daemons: nothing is lost, nothing is twice, and a restored one continues the conversation.

import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { SandboxAgent, type Session, type UniversalEvent } from "sandbox-agent";
import {
  MirrorConflictError,
  MirrorGapError,
  MirrorStoppedError,
  mirror,
  NotRestorableError,
  restore,
} from "sandbox-agent/mirror";
import { FencedError, type PersistDriver, PersistError, storedEvents } from "sandbox-agent/persist";
import { memory } from "sandbox-agent/persist/memory";
import { applyEvents, emptyTranscript } from "sandbox-agent/transcript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plain } from "../transcript/plain.ts";

let one: Daemon;
let other: Daemon;
let here: SandboxAgent;
let there: SandboxAgent;

beforeAll(async () => {
  [one, other] = await Promise.all([startDaemon(), startDaemon()]);
  here = await SandboxAgent.connect(one.connection);
  there = await SandboxAgent.connect(other.connection);
});

afterAll(() => Promise.all([one?.stop(), other?.stop()]));

async function stored(store: PersistDriver, id: string): Promise<UniversalEvent[]> {
  const events: UniversalEvent[] = [];
  for await (const { data } of storedEvents(store, id)) events.push(data as UniversalEvent);
  return events;
}

async function logOf(session: Session): Promise<UniversalEvent[]> {
  const events: UniversalEvent[] = [];
  for (let after = 0; ; ) {
    const page = await session.eventPage({ after, limit: 1000 });
    events.push(...page.events);
    if (!page.hasMore) return events;
    after = page.next;
  }
}

const transcript = (events: UniversalEvent[]): unknown => plain(applyEvents(emptyTranscript(), events));

test("the store has the whole log, in order, before and after the mirror started", async () => {
  const store = memory();
  const session = await here.sessions.create({ agent: "demo", title: "Mirrored", metadata: { team: "web" } });
  await session.send("say before").done;
  const mirroring = mirror(session, store);
  await session.send("stream 300").done;
  await mirroring.stop();
  const log = await logOf(session);
  expect(await stored(store, session.id)).toEqual(log);
  expect(mirroring.stored).toBe(log.length);
  const record = await store.get(session.id);
  expect(record).toMatchObject({
    agent: "demo",
    title: "Mirrored",
    metadata: { team: "web" },
    eventCount: log.length,
  });
});

test("a restored session has the same transcript and continues the conversation", async () => {
  const store = memory();
  const session = await here.sessions.create({ agent: "demo" });
  const mirroring = mirror(session, store);
  await session.send("think about it\nplan\nsay the word is plum").done;
  await mirroring.stop();
  const before = await logOf(session);
  const moved = await restore(there, store, session.id);
  expect(moved.id).toBe(session.id);
  const restored = await logOf(moved);
  expect(transcript(restored.slice(0, before.length))).toEqual(transcript(before));
  await using again = mirror(moved, store);
  // The agent has never run there, so it is given the conversation as text; the demo agent repeats what it was given.
  const { messages } = await moved.send("say and on").done;
  expect(JSON.stringify(messages)).toContain("and on");
  expect(JSON.stringify(messages)).toContain("the word is plum");
  const log = await logOf(moved);
  const continuity = log.find((event) => event.type === "continuity");
  expect(continuity?.data).toMatchObject({ continuity: { kind: "replayed" } });
  await again.until(log.length);
  expect(await stored(store, session.id)).toEqual(log);
});

test("after a restore the old sandbox cannot write any more, and a copy leaves it alone", async () => {
  const store = memory();
  const session = await here.sessions.create({ agent: "demo" });
  const mirroring = mirror(session, store);
  const { messageId } = await session.send("say one").done;
  expect(messageId).not.toBe("");
  await mirroring.until((await session.refresh()).lastEventId);
  const copy = await restore(there, store, session.id, { id: `${session.id}-copy` });
  await session.send("say two").done;
  await mirroring.until((await session.refresh()).lastEventId);
  await restore(there, store, session.id);
  const stale = session.send("say three").done;
  await expect(mirroring.done).rejects.toThrow(FencedError);
  await stale;
  await expect(mirror(session, store).done).rejects.toThrow(FencedError);
  expect((await copy.messages()).messages).toHaveLength(2);
  await expect(restore(there, store, session.id)).rejects.toThrow(NotRestorableError);
});

test("a mirror that is aborted, and one whose store failed, is continued without loss", async () => {
  const store = memory();
  const session = await here.sessions.create({ agent: "demo" });
  const controller = new AbortController();
  const first = mirror(session, store, {
    signal: controller.signal,
    onStored: (sequence) => sequence > 20 && controller.abort(new Error("enough")),
  });
  const turn = session.send("stream 200 10 every 2");
  await expect(first.done).rejects.toThrow("enough");
  await expect(first.until(100_000)).rejects.toThrow("enough");
  let appends = 0;
  const append: PersistDriver["append"] = async (...values) => {
    appends += 1;
    // The answer is lost after the events were stored, as when the connection to a database breaks.
    const record = await store.append(...values);
    if (appends > 1) throw new PersistError("gone");
    return record;
  };
  const failing = new Proxy(store, {
    get: (target, name: keyof PersistDriver) => (name === "append" ? append : target[name].bind(target)),
  });
  let error: unknown;
  const failed = mirror(session, failing).done.catch((failure: unknown) => {
    error = failure;
  });
  await turn.done;
  // The turn may have ended before the second append.
  while (error === undefined) await session.send("say more").done;
  await failed;
  expect(error).toMatchObject({ message: "gone" });
  await mirror(session, store).stop();
  expect(await stored(store, session.id)).toEqual(await logOf(session));
});

test("the end of the session ends the mirror, with the end in the store", async () => {
  const store = memory();
  const session = await here.sessions.create({ agent: "demo" });
  const mirroring = mirror(session, store);
  await session.terminate();
  await mirroring.done;
  expect((await stored(store, session.id)).at(-1)?.type).toBe("ended");
  expect((await store.get(session.id))?.endedAt).toBeDefined();
  const moved = await restore(there, store, session.id);
  expect(moved.info.state).toBe("ended");
  await expect(mirroring.until(100_000)).rejects.toThrow(MirrorStoppedError);
});

test("another session under the same id, and events that the daemon dropped, are errors", async () => {
  const store = memory();
  const id = `reused-${Date.now()}`;
  const first = await here.sessions.create({ agent: "demo", id });
  await mirror(first, store).stop();
  await first.delete();
  const second = await here.sessions.create({ agent: "demo", id });
  await expect(mirror(second, store).done).rejects.toThrow(MirrorConflictError);
  await expect(restore(there, store, "nobody")).rejects.toThrow(NotRestorableError);
  const small = await startDaemon({ config: "[sessions]\nevents = 50\n" });
  try {
    const client = await SandboxAgent.connect(small.connection);
    const session = await client.sessions.create({ agent: "demo" });
    await mirror(session, store).stop();
    await session.send("stream 400").done;
    await expect(mirror(session, store).done).rejects.toThrow(MirrorGapError);
  } finally {
    await small.stop();
  }
});

test("a mirror survives a crash of the daemon in the middle of a turn", async () => {
  const store = memory();
  const session = await here.sessions.create({ agent: "demo" });
  const mirroring = mirror(session, store);
  session.send("stream 100000 10 every 5").done.catch(() => undefined);
  await mirroring.until(30);
  await one.restart();
  await session.send("say back").done;
  const { lastEventId } = await session.refresh();
  await mirroring.until(lastEventId);
  expect(await stored(store, session.id)).toEqual(await logOf(session));
  await mirroring.stop();
});
