// The reducer on made-up logs: what real agents do rarely, what later versions may do, and what must not be copied.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UniversalEvent } from "../../src/generated/openapi.gen.ts";
import {
  applyEvent,
  applyEvents,
  applyGap,
  childrenOf,
  diffsOf,
  emptyTranscript,
  fromTranscriptPage,
  isNested,
  messageOf,
  outputOf,
  type ToolPart,
  type Transcript,
  textOf,
} from "../../src/transcript/index.ts";
import { plain } from "./plain.ts";

/** A log with these data, numbered from 1. */
function log(...data: Record<string, unknown>[]): UniversalEvent[] {
  return data.map((one, index) => {
    const event = { id: index + 1, type: Object.keys(one)[0], data: one };
    const rest = { timestamp: "2026-01-01T00:00:00.000Z", sessionId: "s", agent: "demo" };
    return { ...event, ...rest } as unknown as UniversalEvent;
  });
}

const read = (...data: Record<string, unknown>[]): Transcript => applyEvents(emptyTranscript(), log(...data));
const delta = (messageId: string, text: string, kind = "text", more = {}): Record<string, unknown> => ({
  messageDelta: { messageId, kind, text, ...more },
});
const message = (id: string, parts: unknown[], metadata = {}): Record<string, unknown> => ({
  message: { id, role: "assistant", parts, metadata },
});
const sent = (id: string, metadata = {}): Record<string, unknown> => ({
  message: {
    id,
    role: "user",
    parts: [{ type: "text", text: id }],
    metadata: { turnId: `t_${id}`, ...metadata },
  },
});
const call = (status: string, content?: unknown[]): unknown[] => [
  { type: "toolCall", id: "c", title: "make", kind: "execute", status },
  ...(content === undefined ? [] : [{ type: "toolResult", id: "c", isError: false, content }]),
];
function toolOf(transcript: Transcript, id: string): ToolPart {
  const part = messageOf(transcript, id)?.parts[0];
  if (part?.type !== "tool") throw new Error(`${id} is not a tool call`);
  return part;
}

describe("messages", () => {
  test("grow by pieces, and a whole one replaces them", () => {
    const pieces = [delta("a", "Hm", "reasoning"), delta("a", "m"), delta("a", "Hel"), delta("a", "lo")];
    const growing = read(...pieces);
    const item = messageOf(growing, "a");
    expect(item).toMatchObject({ kind: "assistant", streaming: true });
    expect(item?.parts).toEqual([
      { type: "reasoning", text: "Hm" },
      { type: "text", text: "mHello" },
    ]);
    const whole = applyEvent(growing, {
      ...log(message("a", [{ type: "text", text: "Hi" }]))[0],
      id: 5,
    } as UniversalEvent);
    expect(messageOf(whole, "a")).toMatchObject({ streaming: false, parts: [{ text: "Hi" }] });
    expect(whole.items.length).toBe(1);
  });

  test("a tool's output grows behind what it shows, but not within a block of code", () => {
    const running = read(
      message("tool:c", call("inProgress")),
      delta("tool:c", "one\n", "output"),
      delta("tool:c", "two", "output"),
    );
    expect(outputOf(toolOf(running, "tool:c"))).toBe("one\ntwo");
    const fenced = read(
      message("tool:c", call("inProgress", [{ type: "text", text: "```\nx\n```\n" }])),
      delta("tool:c", "y", "output"),
    );
    expect(toolOf(fenced, "tool:c").content.map((content) => "text" in content && content.text)).toEqual([
      "```\nx\n```\n",
      "y",
    ]);
    const diff = { type: "diff", path: "/a", newText: "b" };
    const done = read(message("tool:c", call("inProgress")), message("tool:c", call("completed", [diff])));
    expect(diffsOf(toolOf(done, "tool:c"))).toEqual([diff]);
    expect(toolOf(done, "tool:c").status).toBe("completed");
  });

  test("messages of a sub-agent belong to its call", () => {
    const transcript = read(
      message("tool:c", call("inProgress")),
      delta("x", "sub", "text", { parentId: "c" }),
      delta("y", "top"),
      message("z", [], { parentId: "c" }),
    );
    expect(childrenOf(transcript, "c").map(({ id }) => id)).toEqual(["x", "z"]);
    const nested = transcript.items.toArray().map((item) => isNested(transcript, item));
    expect(nested).toEqual([false, true, false, true]);
  });

  test("wait in the queue, the newest that interrupts first, and stand where their turn began", () => {
    const waiting = read(
      sent("a"),
      { turnStarted: { turnId: "t_a", messageId: "a" } },
      sent("b"),
      sent("c"),
      sent("i", { delivery: "interrupt" }),
    );
    expect(waiting.queue.map(({ id }) => id)).toEqual(["i", "b", "c"]);
    expect(messageOf(waiting, "a")).toMatchObject({ state: { type: "running" } });
    expect(messageOf(waiting, "b")).toMatchObject({ state: { type: "queued" } });
    const rest = log(
      ...new Array(5).fill({}),
      message("said", []),
      { turnEnded: { turnId: "t_a", stopReason: "cancelled" } },
      { turnStarted: { turnId: "t_i", messageId: "i" } },
      { messageWithdrawn: { turnId: "t_b", messageId: "b", by: "client" } },
      // Logs of earlier versions.
      { turnEnded: { turnId: "t_c", stopReason: "cancelled" } },
    ).slice(5);
    const later = applyEvents(waiting, rest);
    const keys = later.items.toArray().map((item) => [item.key, "state" in item ? item.state.type : ""]);
    expect(keys).toEqual([
      ["message:a", "done"],
      ["message:said", ""],
      ["end:t_a", ""],
      ["message:i", "running"],
      ["message:b", "withdrawn"],
      ["message:c", "withdrawn"],
    ]);
    expect(later.queue).toEqual([]);
  });
});

test("a request that is asked again is open again, at its new place", () => {
  const asked = { permissionAsked: { id: "p", title: "x", kind: "edit", toolCallId: "c", options: [] } };
  const transcript = read(
    asked,
    { permissionResolved: { id: "p", by: "daemonRestarted" } },
    message("a", []),
    asked,
  );
  expect(transcript.items.toArray().map(({ key }) => key)).toEqual(["message:a", "permission:p"]);
  expect(transcript.permissions.map(({ id }) => id)).toEqual(["p"]);
  expect(transcript.state).toBe("requiresAction");
});

test("choices keep lists that a change does not have", () => {
  const modes = [{ id: "plan", name: "Plan" }];
  const transcript = read(
    { modeChanged: { choices: { mode: "plan", variant: "high", modes } } },
    { modeChanged: { choices: { mode: "build" } } },
  );
  expect(transcript.choices).toEqual({ mode: "build", modes, models: [], variants: [] });
});

describe("gaps", () => {
  test("stand where events are missing", () => {
    const transcript = applyGap(read(message("a", [])), { oldest: 9, newest: 12 });
    expect(transcript.lastEventId).toBe(8);
    expect(transcript.items.at(-1)).toMatchObject({ kind: "gap", gap: { oldest: 9, newest: 12 } });
    expect(applyGap(transcript, { oldest: 9, newest: 12 })).toBe(transcript);
  });

  test("another session of the same id starts the transcript again", () => {
    const transcript = applyGap(read(message("a", []), message("b", []), message("c", [])), {
      oldest: 1,
      newest: 2,
    });
    expect(messageOf(transcript, "a")).toBeUndefined();
    expect(transcript.lastEventId).toBe(0);
  });
});

describe("what is not known", () => {
  const json = fc.jsonValue({ maxDepth: 3 });

  test("events of later versions survive", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.stringMatching(/^future[a-z]{1,8}$/), json), { maxLength: 10 }),
        (list) => {
          const transcript = read(...list.map(([type, data]) => ({ [type]: data })));
          const kept = transcript.items
            .toArray()
            .map((item) => (item.kind === "unknown" ? item.data : undefined));
          expect(kept).toEqual(list.map(([type, data]) => ({ [type]: data })));
        },
      ),
    );
  });

  test("parts of later versions survive", () => {
    fc.assert(
      fc.property(fc.array(json), (list) => {
        const parts = list.map((value) => ({ type: "hologram", value }));
        const kept = messageOf(read(message("m", parts)), "m")?.parts;
        expect(kept).toEqual(parts.map((raw) => ({ type: "unknown", raw })));
      }),
    );
  });

  test("no event, however malformed, is thrown at the reader or stops those after it", () => {
    const types = [
      "message",
      "messageDelta",
      "turnStarted",
      "turnEnded",
      "permissionAsked",
      "questionResolved",
      "modeChanged",
      "error",
      "compaction",
      "plan",
      "queueHeld",
      "toString",
    ];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...types), json), { maxLength: 10 }), (list) => {
        const events = log(...list.map(([type, value]) => ({ [type]: value })), message("last", []));
        const transcript = applyEvents(emptyTranscript(), events);
        expect(transcript.lastEventId).toBe(events.length);
        expect(messageOf(transcript, "last")).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });
});

describe("a long transcript", () => {
  const many = 10_000;
  const long = applyEvents(
    emptyTranscript(),
    log(
      ...Array.from({ length: many }, (_, index) =>
        message(`m${index}`, [{ type: "text", text: `${index}` }]),
      ),
    ),
  );
  const piece = (id: string, eventId: number, text = "x"): UniversalEvent =>
    ({ ...log(delta(id, text))[0], id: eventId }) as UniversalEvent;

  test("a piece copies one chunk and one item", () => {
    const grown = applyEvent(long, piece("m5000", many + 1));
    const changed = grown.items.chunks.filter((chunk, index) => chunk !== long.items.chunks[index]);
    expect(changed.length).toBe(1);
    const items = changed.flat().filter((item) => !long.items.toArray().includes(item));
    expect(items.map(({ key }) => key)).toEqual(["message:m5000"]);
    expect(grown.index).toBe(long.index);
    expect(messageOf(long, "m5000")?.parts).toEqual([{ type: "text", text: "5000" }]);
  });

  test("is the same list whichever order its pages come in", () => {
    expect(long.items.length).toBe(many);
    expect(long.items.at(-1)?.key).toBe("message:m9999");
    expect(long.items.toArray().map(({ key }) => key)).toEqual(
      Array.from({ length: many }, (_, index) => `message:m${index}`),
    );
  });

  test("text of 100,000 pieces is appended without copying it each time", () => {
    let transcript = emptyTranscript();
    for (let id = 1; id <= 100_000; id += 1) transcript = applyEvent(transcript, piece("m", id, "word "));
    const item = messageOf(transcript, "m");
    expect(item && textOf(item).length).toBe(500_000);
  });
});

test("transcripts are never changed in place", () => {
  const events = log(
    sent("a"),
    { turnStarted: { turnId: "t_a", messageId: "a" } },
    delta("b", "x"),
    delta("b", "y"),
    message("b", []),
    { plan: { entries: [] } },
    { turnEnded: { turnId: "t_a", stopReason: "endTurn" } },
  );
  let transcript = emptyTranscript();
  for (const event of events) {
    const before = structuredClone(plain(transcript));
    const next = applyEvent(transcript, event);
    expect(plain(transcript)).toEqual(before);
    expect(applyEvent(next, event)).toBe(next);
    transcript = next;
  }
});

test("an empty page is an empty transcript", () => {
  expect(plain(fromTranscriptPage({ messages: [], eventsAfter: 0, hasMore: false }))).toEqual(
    plain(emptyTranscript()),
  );
});
