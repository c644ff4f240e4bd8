// Messages: whole states, pieces, and the queue of those that wait for their turn.

import type {
  MessageDeltaEvent,
  MessageEvent,
  TurnEndedEvent,
  TurnStartedEvent,
  WithdrawnBy,
} from "../generated/openapi.gen.ts";
import type { AssistantItem, Transcript, UserItem, UserMessageState } from "./model.ts";
import { appendPiece, foldParts } from "./parts.ts";
import { itemOf, keepOutcome, messageKey, placeOf, put, settlePlace } from "./placing.ts";

/** The part of a log that is read: what follows, or what was before. Older pages already have its messages. */
export type Reading = "following" | "past";

type Metadata = Readonly<Record<string, unknown>>;

/** The common part of a `message` event and a message of a page. */
export interface MessageContent {
  readonly id: string;
  readonly eventId: number;
  readonly timestamp: string;
  readonly parts: AssistantItem["parts"];
  readonly metadata: Metadata;
  readonly turnId?: string;
}

export function applyMessage(transcript: Transcript, event: MessageEvent, reading: Reading): Transcript {
  const { message } = event.data;
  if (message.role === "unknown") {
    const parts = [{ type: "unknown", raw: message.raw } as const];
    const content = { id: `unparsed:${event.id}`, parts, metadata: { error: message.error } };
    return applyAssistant(transcript, { ...content, ...moment(event) }, event.id, reading);
  }
  const metadata: Metadata = message.metadata ?? {};
  const content = {
    id: message.id,
    parts: foldParts(message.parts),
    metadata,
    ...moment(event),
    ...named("turnId", metadata["turnId"]),
  };
  if (message.role !== "user") return applyAssistant(transcript, content, event.id, reading);
  return applyUser(transcript, content, event.id, reading);
}

function applyAssistant(
  transcript: Transcript,
  content: MessageContent,
  eventId: number,
  reading: Reading,
): Transcript {
  const key = messageKey(content.id);
  const known = itemOf(transcript, key);
  if (known === undefined && reading === "past") return transcript;
  const position = placeOf(transcript, key, eventId);
  if (known?.kind === "assistant" && known.eventId >= eventId) {
    return position === known.position
      ? transcript
      : settlePlace(put(transcript, { ...known, position }), key);
  }
  return settlePlace(put(transcript, assistantItem(content, position, false)), key);
}

export function assistantItem(content: MessageContent, position: number, streaming: boolean): AssistantItem {
  const parent = named("parentId", content.metadata["parentId"]);
  return { kind: "assistant", key: messageKey(content.id), position, streaming, ...content, ...parent };
}

export function applyDelta(transcript: Transcript, event: MessageDeltaEvent, reading: Reading): Transcript {
  const { messageDelta: delta } = event.data;
  const key = messageKey(delta.messageId);
  const known = itemOf(transcript, key);
  const position = placeOf(transcript, key, event.id);
  if (known?.kind === "assistant") {
    const isNew = reading === "following" && event.id > known.eventId;
    if (!isNew && position === known.position) return transcript;
    const parts = isNew ? appendPiece(known.parts, delta) : known.parts;
    const grown = { ...known, position, parts, streaming: known.streaming || isNew };
    return settlePlace(put(transcript, grown), key);
  }
  if (known !== undefined || reading === "past") return transcript;
  const turn = named("turnId", transcript.turn?.turnId);
  const parent = named("parentId", delta.parentId);
  const content = {
    id: delta.messageId,
    // No whole state is recorded: everything of it counts, this piece included.
    eventId: event.id - 1,
    timestamp: event.timestamp,
    parts: appendPiece([], delta),
    metadata: { ...turn, ...parent },
    ...turn,
  };
  return put(transcript, assistantItem(content, position, true));
}

/** A client's message waits for its turn; one that the agent reports stands where it is reported. */
function applyUser(
  transcript: Transcript,
  content: MessageContent,
  eventId: number,
  reading: Reading,
): Transcript {
  const key = messageKey(content.id);
  const known = itemOf(transcript, key);
  if (waits(content)) {
    if (known !== undefined || reading === "past") return transcript;
    if (transcript.queue.some((queued) => queued.id === content.id)) return transcript;
    return enqueue(transcript, userItem(content, eventId, { type: "queued" }));
  }
  if (known === undefined && reading === "past") return transcript;
  const position = placeOf(transcript, key, eventId);
  const newest = known?.kind === "user" && known.eventId >= eventId ? known : undefined;
  const item = newest ?? userItem(content, position, { type: "done" });
  return settlePlace(put(transcript, { ...item, position }), key);
}

export function userItem(content: MessageContent, position: number, state: UserMessageState): UserItem {
  return { kind: "user", key: messageKey(content.id), position, state, ...content };
}

function waits(content: MessageContent): boolean {
  return content.turnId !== undefined && !content.id.startsWith("user:");
}

/** Adds a message to the queue. The newest one that interrupts is first. */
function enqueue(transcript: Transcript, item: UserItem): Transcript {
  const interrupts = item.metadata["delivery"] === "interrupt";
  const queue = interrupts ? [item, ...transcript.queue] : [...transcript.queue, item];
  return { ...transcript, queue };
}

/** Gives queued messages each other's places. Others keep theirs. */
export function reorderQueue(transcript: Transcript, messageIds: readonly string[]): Transcript {
  const { queue } = transcript;
  const listed = new Set(messageIds);
  const wanted = messageIds.flatMap((id) => queue.find((queued) => queued.id === id) ?? []).values();
  return {
    ...transcript,
    queue: queue.map((item) => (listed.has(item.id) ? (wanted.next().value ?? item) : item)),
  };
}

export function beginTurn(transcript: Transcript, event: TurnStartedEvent): Transcript {
  const { messageId, turnId } = event.data.turnStarted;
  if (messageId === undefined) return transcript;
  const key = messageKey(messageId);
  const item = transcript.queue.find((queued) => queued.id === messageId) ?? itemOf(transcript, key);
  if (item === undefined) return keepOutcome(transcript, key, event.id, { of: "begin" });
  if (item.kind !== "user") return transcript;
  // The end may have been read before the beginning, on a newer page.
  const ended = transcript.index.outcomes.get(turnKey(turnId));
  const isOver = item.state.type === "done" && item.state.stopReason !== undefined;
  const state = ended?.of === "user" ? ended.state : isOver ? item.state : ({ type: "running" } as const);
  return settle(transcript, { ...item, state }, event.id);
}

export function endTurn(transcript: Transcript, event: TurnEndedEvent): Transcript {
  const { turnId, stopReason, reason, usage } = event.data.turnEnded;
  const waiting = transcript.queue.find((queued) => queued.turnId === turnId);
  // Logs of earlier versions end the turn of a message that never began.
  if (waiting !== undefined) return withdraw(transcript, turnId, "cancelled", event.id);
  const outcome = { stopReason, ...(reason === undefined ? {} : { reason }), ...(usage && { usage }) };
  const state: UserMessageState = { type: "done", ...outcome };
  const end = { key: `end:${turnId}`, position: event.id, timestamp: event.timestamp, turnId, ...outcome };
  const ended = put(transcript, { kind: "turnEnd", ...end });
  const user = userOf(ended, turnId);
  if (user === undefined) return keepOutcome(ended, turnKey(turnId), event.id, { of: "user", state });
  return user.state.type === "withdrawn" ? ended : put(ended, { ...user, state });
}

export function withdraw(
  transcript: Transcript,
  turnId: string,
  by: WithdrawnBy,
  eventId: number,
): Transcript {
  const item = transcript.queue.find((queued) => queued.turnId === turnId) ?? userOf(transcript, turnId);
  const state: UserMessageState = { type: "withdrawn", by };
  if (item === undefined) return keepOutcome(transcript, turnKey(turnId), eventId, { of: "user", state });
  return settle(transcript, { ...item, state }, eventId);
}

/** Takes a message that waited when its page was read, and may have begun or been withdrawn since then. */
export function addWaiting(transcript: Transcript, item: UserItem): Transcript {
  const { outcomes } = transcript.index;
  const begin = outcomes.get(item.key);
  const end = item.turnId === undefined ? undefined : outcomes.get(turnKey(item.turnId));
  if (end?.of === "user" && end.state.type === "withdrawn") {
    return put(transcript, { ...item, state: end.state, position: end.eventId });
  }
  if (begin === undefined) return { ...transcript, queue: [item, ...transcript.queue] };
  const state = end?.of === "user" ? end.state : ({ type: "running" } as const);
  return put(transcript, { ...item, state, position: begin.eventId });
}

/** Returns true if the beginning or the end of a message came after its page was read. */
export function hasOutcome(transcript: Transcript, item: UserItem): boolean {
  const { outcomes } = transcript.index;
  if (outcomes.has(item.key)) return true;
  const end = item.turnId === undefined ? undefined : outcomes.get(turnKey(item.turnId));
  return end?.of === "user" && end.state.type === "withdrawn";
}

/** Key of the outcome of a turn whose message has not been read. */
const turnKey = (turnId: string): string => `turn:${turnId}`;

/** Gives a message that waited its place for good. */
function settle(transcript: Transcript, item: UserItem, eventId: number): Transcript {
  const queue = transcript.queue.filter((queued) => queued.id !== item.id);
  const rest = queue.length === transcript.queue.length ? transcript : { ...transcript, queue };
  const position = placeOf(rest, item.key, eventId);
  return settlePlace(put(rest, { ...item, position }), item.key);
}

/** Finds the message that began a turn, from the newest item on. */
function userOf(transcript: Transcript, turnId: string): UserItem | undefined {
  const { turn } = transcript;
  if (turn?.turnId === turnId && turn.messageId !== undefined) {
    const item = itemOf(transcript, messageKey(turn.messageId));
    if (item?.kind === "user") return item;
  }
  for (const item of transcript.items.reversed()) {
    if (item.kind === "user" && item.turnId === turnId && waits(item)) return item;
  }
  return undefined;
}

function moment(event: { id: number; timestamp: string }): { eventId: number; timestamp: string } {
  return { eventId: event.id, timestamp: event.timestamp };
}

/** An object with one member if the value is a string, else an empty one. */
function named<K extends string>(name: K, value: unknown): { readonly [key in K]?: string } {
  return (typeof value === "string" ? { [name]: value } : {}) as { readonly [key in K]?: string };
}
