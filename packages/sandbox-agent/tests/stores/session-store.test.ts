// A session that is followed through faults: whatever breaks, the store has the transcript of the log.

import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SandboxAgent } from "../../src/index.ts";
import { type SessionSnapshot, SessionStore } from "../../src/stores/index.ts";
import { applyEvents, emptyTranscript } from "../../src/transcript/index.ts";
import { messagesOf, plain } from "../transcript/plain.ts";
import { Recorder, recordEverything, recordQueue } from "../transcript/recorder.ts";
import { type Fault, faultyFetch } from "./faulty-fetch.ts";

let daemon: Daemon;
const expected: Record<string, unknown> = {};

beforeAll(async () => {
  daemon = await startDaemon();
  for (const [id, record] of Object.entries({ everything: recordEverything, queue: recordQueue })) {
    const { events } = await record(daemon);
    expected[id] = plain(applyEvents(emptyTranscript(), events));
  }
}, 60_000);
afterAll(() => daemon.stop());

function open(id: string, fetch: typeof globalThis.fetch, pageSize = 100): SessionStore {
  const backoff = { initialMs: 1, maxMs: 5 };
  const client = SandboxAgent.open({ ...daemon.connection, fetch, retry: backoff, reconnect: backoff });
  return new SessionStore(client, id, { pageSize });
}

/** Follows a store until it is as wanted, and leaves it. */
async function until(store: SessionStore, done: (now: SessionSnapshot) => boolean): Promise<SessionSnapshot> {
  let leave = (): void => {};
  const settled = new Promise<void>((resolve) => {
    leave = store.subscribe(() => {
      if (done(store.getSnapshot())) resolve();
    });
  });
  await settled;
  leave();
  return store.getSnapshot();
}

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constant({ kind: "none" } as const),
  fc.constant({ kind: "refuse" } as const),
  fc.constant({ kind: "unavailable" } as const),
  fc.record({
    kind: fc.constant("cut" as const),
    bytes: fc.nat(4_000),
    how: fc.constantFrom("end" as const, "reset" as const),
  }),
);

test("is the same after any faults, from the whole log in one page", async () => {
  const property = fc.asyncProperty(
    fc.constantFrom("everything", "queue"),
    fc.array(fault, { maxLength: 12 }),
    async (id, faults) => {
      const store = open(id, faultyFetch(faults), 1_000);
      const last = (expected[id] as { lastEventId: number }).lastEventId;
      const { transcript } = await until(store, (now) => now.transcript.lastEventId >= last);
      expect(plain(transcript)).toEqual(expected[id]);
    },
  );
  await fc.assert(property, { numRuns: 25 });
});

test("is the same page by page, older ones read while the stream breaks", async () => {
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 20 }),
    fc.array(fault, { maxLength: 6 }),
    async (pageSize, faults) => {
      const store = open("everything", faultyFetch(faults), pageSize);
      await until(store, (now) => now.connection.state === "live");
      for (let page = 0; store.getSnapshot().transcript.older !== undefined && page < 100; page += 1) {
        await store.loadOlder();
      }
      expect(messagesOf(store.getSnapshot().transcript)).toEqual(
        (expected["everything"] as { items: { kind: string }[] }).items.filter(
          ({ kind }) => kind === "user" || kind === "assistant",
        ),
      );
    },
  );
  await fc.assert(property, { numRuns: 10 });
});

test("is the same live, with cuts in the middle of a message", async () => {
  const recorder = new Recorder(daemon, "live");
  await recorder.create({ permissionMode: "bypass" });
  const cuts = [300, 700, 1_500, 2_000, 3_000].map(
    (bytes) => ({ kind: "cut", bytes, how: "reset" }) as const,
  );
  // The first requests read the page, the session and the events.
  const store = open("live", faultyFetch([...new Array<Fault>(4).fill({ kind: "none" }), ...cuts]));
  const following = until(store, ({ transcript }) => transcript.items.at(-1)?.kind === "turnEnd");
  await recorder.send("say before\nstream 300 10 every 2\nplan\nsay end");
  const { transcript } = await following;
  const { events } = await recorder.stop();
  const upTo = events.filter((event) => event.id <= transcript.lastEventId);
  expect(plain(transcript)).toEqual(plain(applyEvents(emptyTranscript(), upTo)));
});

test("subscribers share one stream, and the last one ends it", async () => {
  const paths: string[] = [];
  const streams = new Set<AbortSignal>();
  const counting: typeof fetch = (input, init) => {
    paths.push(new URL(String(input)).pathname);
    if (init?.signal != null && String(input).includes("/sse")) streams.add(init.signal);
    return fetch(input, init);
  };
  await new Recorder(daemon, "shared").create();
  const store = open("shared", counting);
  const leave = [store.subscribe(() => {}), store.subscribe(() => {})];
  await until(store, (now) => now.connection.state === "live");
  expect(paths.filter((path) => path.endsWith("/sse")).length).toBe(1);
  for (const one of leave) one();
  await until(open("shared", counting), (now) => now.connection.state === "live");
  expect(store.getSnapshot().connection.state).toBe("idle");
  expect([...streams][0]?.aborted).toBe(true);
});
