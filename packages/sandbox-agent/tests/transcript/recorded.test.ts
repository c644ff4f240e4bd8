// Real logs: however a client reads a session, it gets the same transcript.

import { startDaemon } from "@sandbox-agent/testkit";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { UniversalEvent } from "../../src/generated/openapi.gen.ts";
import {
  applyEvent,
  applyEvents,
  emptyTranscript,
  fromTranscriptPage,
  prependTranscriptPage,
  type Transcript,
} from "../../src/transcript/index.ts";
import { messagesOf, plain, sideItemsOf } from "./plain.ts";
import {
  isStreaming,
  type Recording,
  recordEverything,
  recordQueue,
  recordRestart,
  type Snapshot,
} from "./recorder.ts";

const recordings: Record<string, Recording> = {};
const names = ["everything", "queue", "restart"];

beforeAll(async () => {
  await using daemon = await startDaemon();
  recordings["everything"] = await recordEverything(daemon);
  recordings["queue"] = await recordQueue(daemon);
  recordings["restart"] = await recordRestart(daemon);
}, 60_000);

function recording(name: string): Recording {
  const found = recordings[name];
  if (found === undefined) throw new Error(`${name} is not recorded`);
  return found;
}

const whole = (name: string): Transcript => applyEvents(emptyTranscript(), recording(name).events);
const after = (events: UniversalEvent[], id: number): UniversalEvent[] =>
  events.filter((event) => event.id > id);

describe.each(names)("%s", (name) => {
  test("is the transcript that the daemon has", () => {
    const { whole: page, session } = recording(name);
    const transcript = whole(name);
    const found = messagesOf(transcript).map(({ id, parts, eventId }) => ({ id, parts, eventId }));
    const expected = messagesOf(fromTranscriptPage(page, { order: "asc" }));
    expect(found).toEqual(expected.map(({ id, parts, eventId }) => ({ id, parts, eventId })));
    const { choices, usage, title, queueHeld, state } = transcript;
    expect({ choices, usage, title, queueHeld, state }).toEqual({
      choices: session.choices,
      usage: session.usage,
      title: session.title,
      queueHeld: session.queueHeld,
      state: session.state,
    });
  });

  test("is the same after any cut, with events delivered again", () => {
    const { events } = recording(name);
    const expected = plain(whole(name));
    const cuts = fc.array(fc.tuple(fc.nat(events.length), fc.nat(30)), { maxLength: 8 });
    fc.assert(
      fc.property(cuts, (places) => {
        let [transcript, read] = [emptyTranscript(), 0];
        for (const [cut, again] of [...places].sort((left, right) => left[0] - right[0])) {
          transcript = applyEvents(transcript, events.slice(read, cut));
          read = Math.max(0, cut - again);
        }
        expect(plain(applyEvents(transcript, events.slice(read)))).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  // Without deltas a message stands where it was complete, behind things that happened while it was written.
  test("says the same without deltas", () => {
    const transcript = applyEvents(emptyTranscript(), recording(name).quiet);
    const expected = whole(name);
    for (const kind of ["user", "assistant"]) {
      const said = (by: Transcript): unknown[] => messagesOf(by).filter((item) => item.kind === kind);
      expect(said(transcript)).toEqual(said(expected));
    }
    expect(sideItemsOf(transcript)).toEqual(sideItemsOf(expected));
    const { plan, usage, choices, title, state, queue, lastEventId } = expected;
    expect(transcript).toMatchObject({ plan, usage, choices, title, state, queue, lastEventId });
  });

  test("has the same messages from any page and the events after it", () => {
    const { events, snapshots } = recording(name);
    const expected = messagesOf(whole(name), "page");
    for (const { page, older } of snapshots) {
      let transcript = fromTranscriptPage(page);
      for (const next of older) transcript = prependTranscriptPage(transcript, next);
      transcript = applyEvents(transcript, after(events, page.eventsAfter));
      expect(messagesOf(transcript, "page")).toEqual(expected);
    }
  });

  test("is the same from any page with its events, older pages before or after the stream", () => {
    const { events, snapshots } = recording(name);
    const expected = plain(whole(name));
    for (const snapshot of snapshots) {
      const first = readFirst(snapshot, events);
      const following = after(events, snapshot.page.eventsAfter);
      expect(plain(applyEvents(readOlder(first, snapshot, events), following))).toEqual(expected);
      expect(plain(readOlder(applyEvents(first, following), snapshot, events))).toEqual(expected);
    }
  });

  test("has what is open, from a page and the session, at that moment", () => {
    const { events, snapshots } = recording(name);
    for (const { page, session } of snapshots) {
      const until = events.filter((event) => event.id <= session.lastEventId);
      const expected = applyEvents(emptyTranscript(), until);
      let transcript = fromTranscriptPage(page, { session });
      const ids = (now: Transcript): unknown => ({
        permissions: now.permissions.map(({ id }) => id),
        questions: now.questions.map(({ id }) => id),
        turn: now.turn?.turnId,
        choices: now.choices,
        usage: now.usage,
        queueHeld: now.queueHeld,
      });
      expect(ids(transcript)).toEqual(ids(expected));
      for (const event of after(until, page.eventsAfter)) {
        transcript = applyEvent(transcript, event);
        expect(ids(transcript)).toEqual(ids(expected));
      }
    }
  });
});

test("the recordings have what they are for", () => {
  const streaming = names.flatMap((name) => recording(name).snapshots).filter(isStreaming);
  expect(streaming.length).toBeGreaterThan(5);
  const kinds = new Set(
    names.flatMap((name) =>
      whole(name)
        .items.toArray()
        .map((item) => item.kind),
    ),
  );
  const all = ["user", "assistant", "permission", "question", "turnEnd", "notice", "compaction", "error"];
  expect(kinds).toEqual(new Set([...all, "mode", "continuity", "ended", "unknown"]));
  const types = new Set(names.flatMap((name) => recording(name).events.map((event) => event.type)));
  expect(types).toContain("queueHeld");
  expect(types).toContain("messageWithdrawn");
});

function readFirst({ page, session }: Snapshot, events: UniversalEvent[]): Transcript {
  const known = events.filter((event) => event.id >= (page.next ?? 0));
  return fromTranscriptPage(page, { session, events: known });
}

function readOlder(first: Transcript, { older }: Snapshot, events: UniversalEvent[]): Transcript {
  return older.reduce((transcript, page) => {
    const known = events.filter((event) => event.id >= (page.next ?? 0));
    return prependTranscriptPage(transcript, page, { events: known });
  }, first);
}
