// The reducer: from the events of a session to its transcript. It is pure; transcripts are never changed in place.

import type { Gap, UniversalEvent } from "../generated/openapi.gen.ts";
import { ItemList } from "./item-list.ts";
import { KeyMap } from "./key-map.ts";
import {
  applyDelta,
  applyMessage,
  beginTurn,
  endTurn,
  type Reading,
  reorderQueue,
  withdraw,
} from "./messages.ts";
import type { CompactionItem, Transcript, TranscriptIndex, TranscriptItem } from "./model.ts";
import { itemOf, put } from "./placing.ts";
import { askPermission, askQuestion, resolvePermission, resolveQuestion } from "./requests.ts";
import { applyToSession } from "./session-state.ts";

/** Returns the transcript of a session before its first event. */
export function emptyTranscript(): Transcript {
  return {
    items: ItemList.empty(),
    queue: [],
    queueHeld: false,
    permissions: [],
    questions: [],
    state: "starting",
    turn: undefined,
    plan: undefined,
    usage: undefined,
    commands: [],
    choices: { modes: [], models: [], variants: [] },
    title: undefined,
    continuity: undefined,
    ended: undefined,
    lastEventId: 0,
    older: undefined,
    index: emptyIndex(),
  };
}

function emptyIndex(): TranscriptIndex {
  const none = { positions: new KeyMap<number>(), children: new KeyMap<readonly string[]>() };
  const unsettled = { estimated: new KeyMap<true>(), outcomes: new KeyMap<never>() };
  return { ...none, ...unsettled, oldestEventId: 0, sessionEventId: 0, agentRuns: false };
}

/**
 * Applies the next event of a session. Events at or below `lastEventId` are ignored, so an event may be delivered twice.
 * The cost of a piece of a message does not depend on the length of the transcript in practice: it copies one chunk of
 * items.
 */
export function applyEvent(transcript: Transcript, event: UniversalEvent): Transcript {
  if (event.id <= transcript.lastEventId) return transcript;
  try {
    const read = { ...applyToItems(transcript, event, "following"), lastEventId: event.id };
    return event.type === "messageDelta" ? read : applyToSession(read, event);
  } catch {
    // A later version may have changed an event beyond recognition. Showing it raw is better than showing nothing.
    return { ...put(transcript, unknownItem(event)), lastEventId: event.id };
  }
}

/** Applies several events in order. */
export function applyEvents(transcript: Transcript, events: Iterable<UniversalEvent>): Transcript {
  let applied = transcript;
  for (const event of events) applied = applyEvent(applied, event);
  return applied;
}

/**
 * Notes that events are no longer kept. If they belong to another session of the same id that was created later, the transcript
 * starts again. Read the session afterwards: what is open may have changed in the gap.
 */
export function applyGap(transcript: Transcript, gap: Gap): Transcript {
  const isOther = gap.newest < transcript.lastEventId;
  if (!isOther && gap.oldest <= transcript.lastEventId + 1) return transcript;
  const start = isOther ? emptyTranscript() : transcript;
  const position = Math.max(gap.oldest, 1) - 0.5;
  const item = { key: `gap:${position}`, position, timestamp: "", gap };
  return { ...put(start, { kind: "gap", ...item }), lastEventId: Math.max(gap.oldest - 1, 0) };
}

/** Applies what an event says to the items, or to the messages that wait. */
export function applyToItems(transcript: Transcript, event: UniversalEvent, reading: Reading): Transcript {
  switch (event.type) {
    case "message":
      return applyMessage(transcript, event, reading);
    case "messageDelta":
      return applyDelta(transcript, event, reading);
    case "turnStarted":
      return beginTurn(transcript, event);
    case "turnEnded":
      return endTurn(transcript, event);
    case "messageWithdrawn":
      return withdraw(
        transcript,
        event.data.messageWithdrawn.turnId,
        event.data.messageWithdrawn.by,
        event.id,
      );
    case "queueReordered":
      // A page has the newest order already.
      return reading === "past" ? transcript : reorderQueue(transcript, event.data.queueReordered.messageIds);
    case "permissionAsked":
      return askPermission(transcript, event.data.permissionAsked, event, reading);
    case "permissionResolved":
      return resolvePermission(transcript, event);
    case "questionAsked":
      return askQuestion(transcript, event.data.questionAsked, event, reading);
    case "questionResolved":
      return resolveQuestion(transcript, event);
    case "compaction":
      return put(transcript, compactionItem(itemOf(transcript, compactionKey(event)), event));
    default: {
      const item = plainItem(event);
      return item === undefined ? transcript : put(transcript, item);
    }
  }
}

/** The item of an event that stands for itself. Events that only change the session have none. */
function plainItem(event: UniversalEvent): TranscriptItem | undefined {
  const place = { key: `event:${event.id}`, position: event.id, timestamp: event.timestamp };
  switch (event.type) {
    case "notice":
      return { kind: "notice", ...place, notice: event.data.notice };
    case "error":
      return { kind: "error", ...place, error: event.data.error };
    case "modeChanged":
      return { kind: "mode", ...place, choices: event.data.modeChanged.choices };
    case "continuity":
      return { kind: "continuity", ...place, continuity: event.data.continuity };
    case "ended":
      return { kind: "ended", ...place, ended: event.data.ended };
    case "started":
    case "plan":
    case "usage":
    case "infoChanged":
    case "commandsAvailable":
    case "queueHeld":
    case "queueReleased":
      return undefined;
    default:
      // `unknown`, and types of later versions.
      return unknownItem(event);
  }
}

function unknownItem(event: UniversalEvent): TranscriptItem {
  const place = { key: `event:${event.id}`, position: event.id, timestamp: event.timestamp };
  return { kind: "unknown", ...place, type: event.type, data: event.data };
}

type CompactionEvent = Extract<UniversalEvent, { type: "compaction" }>;

function compactionKey({ id, data: { compaction } }: CompactionEvent): string {
  return compaction.id === undefined ? `event:${id}` : `compaction:${compaction.id}`;
}

/** One compaction may take several events: its summary comes in pieces, its status changes. */
function compactionItem(known: TranscriptItem | undefined, event: CompactionEvent): CompactionItem {
  const { compaction } = event.data;
  const place = { key: compactionKey(event), position: event.id, timestamp: event.timestamp };
  const item: CompactionItem = { kind: "compaction", ...place, compaction };
  if (known?.kind !== "compaction") return item;
  const [first, last] = known.position < event.id ? [known, item] : [item, known];
  const merged = { ...first.compaction, ...last.compaction };
  const pieces = [first.compaction.summary, last.compaction.summary].filter((piece) => piece !== undefined);
  const summary = isPiece(last.compaction.raw) ? pieces.join("") : pieces.at(-1);
  return { ...first, compaction: summary === undefined ? merged : { ...merged, summary } };
}

function isPiece(raw: unknown): boolean {
  const isObject = typeof raw === "object" && raw !== null && "sessionUpdate" in raw;
  return isObject && raw.sessionUpdate === "compaction_summary_chunk";
}
