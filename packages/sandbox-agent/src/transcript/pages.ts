// Pages of `GET …/messages`: a transcript starts with the newest one, and older ones are put in front of it.

import type { Session, TranscriptMessage, TranscriptPage, UniversalEvent } from "../generated/openapi.gen.ts";
import { addWaiting, assistantItem, hasOutcome, type MessageContent, userItem } from "./messages.ts";
import type { AssistantItem, Transcript, UserItem, UserMessageState } from "./model.ts";
import { foldParts } from "./parts.ts";
import { itemOf, messageKey, put, putEstimated, withIndex } from "./placing.ts";
import { applyToItems, emptyTranscript } from "./reduce.ts";
import { permissionItem, questionItem, withOpenPermission, withOpenQuestion } from "./requests.ts";
import { applySetting, applyToSession, withSession, withSettings } from "./session-state.ts";

export interface PageOptions {
  /**
   * Events of the same part of the log, from `next` of the page (from the beginning if there is none) to the oldest event
   * that the transcript has (`eventsAfter` for the first page). They bring notices, errors, permissions, questions and
   * ends of turns, which pages lack, and are put exactly where they belong. Without them a transcript has only messages.
   */
  events?: Iterable<UniversalEvent>;
}

export interface FirstPageOptions extends PageOptions {
  /** Order of the page. Default: `desc`, the newest messages. An `asc` page must have all messages. */
  order?: "asc" | "desc";
  /** The session, read after the page: its state, its settings, and what is open. */
  session?: Session;
}

/**
 * Makes a transcript of the newest page of messages. Stream the events after `eventsAfter` of that page (`lastEventId` of
 * the transcript) to continue. If all messages of the page are queued and more follow, read a larger page first: a cursor
 * within the queue names no place in the log.
 *
 * @example
 * let transcript = fromTranscriptPage(await session.messages({ order: "desc", limit: 50 }));
 * for await (const event of session.events({ after: transcript.lastEventId })) {
 *   transcript = applyEvent(transcript, event);
 * }
 */
export function fromTranscriptPage(page: TranscriptPage, options: FirstPageOptions = {}): Transcript {
  const { eventsAfter } = page;
  const ordered = options.order === "asc" ? page.messages : page.messages.toReversed();
  const start = { ...emptyTranscript(), lastEventId: eventsAfter, older: page.next };
  const begun = ordered.filter((message) => message.state !== "queued");
  const items = begun.map((message) => itemFrom(message, isRunning(message, ordered, options.session)));
  const oldest = Math.min(page.next ?? 1, eventsAfter);
  let transcript = place(start, items, options.events ? "exact" : "estimate", {
    from: options.events ? eventsAfter : oldest,
    to: eventsAfter + 0.5,
  });
  const waiting = ordered.filter((message) => message.state === "queued");
  const queue = waiting.map((message) => userItem(contentOf(message), message.eventId, { type: "queued" }));
  const oldestEventId = Math.min(page.next ?? 0, eventsAfter + 1);
  transcript = { ...withIndex(transcript, { oldestEventId }), queue };
  for (const event of options.events ?? []) {
    if (event.id > eventsAfter) break;
    transcript = applyToSession(applyToItems(transcript, event, "past"), event);
  }
  return options.session === undefined ? transcript : withOpen(transcript, options.session, eventsAfter);
}

/**
 * Puts the next older page, read with `order=desc` and `after` set to `older` of the transcript, in front of it. A message that
 * is there already keeps its newest state.
 */
export function prependTranscriptPage(
  transcript: Transcript,
  page: TranscriptPage,
  options: PageOptions = {},
): Transcript {
  const to = transcript.items.at(0)?.position ?? transcript.lastEventId + 0.5;
  // Between two ids: no event has such a position.
  const from = options.events ? Math.ceil(to) - 1 : Math.min(page.next ?? 0, to - 1);
  const { oldestEventId } = transcript.index;
  const unknown = page.messages.filter((message) => isUnknown(transcript, message));
  const items = unknown.map((message) => newestItem(transcript, message));
  const waiting = items.filter((item) => item.kind === "user" && waits(transcript, item));
  const said = items.filter((item) => !waiting.includes(item)).toReversed();
  let grown = place({ ...transcript, older: page.next }, said, options.events ? "exact" : "estimate", {
    from,
    to,
  });
  for (const item of waiting) if (item.kind === "user") grown = addWaiting(grown, item);
  let settings = emptyTranscript();
  for (const event of options.events ?? []) {
    if (event.id >= oldestEventId) break;
    grown = applyToItems(grown, event, "past");
    settings = applySetting(settings, event);
  }
  const oldest = Math.min(page.next ?? 0, oldestEventId);
  return withSettings(withIndex(grown, { oldestEventId: oldest }), settings);
}

/**
 * Brings a transcript up to date with the session, such as after a restart of the daemon, which makes no event for an idle
 * session. A description that is older than the transcript changes nothing.
 */
export function applySession(transcript: Transcript, session: Session): Transcript {
  if (session.lastEventId < transcript.lastEventId) return transcript;
  return withOpen(transcript, session, transcript.lastEventId);
}

/** Puts items in order between two positions. */
function place(
  transcript: Transcript,
  items: readonly (UserItem | AssistantItem)[],
  mode: "exact" | "estimate",
  range: { from: number; to: number },
): Transcript {
  const step = (range.to - range.from) / (items.length + 1);
  const add = mode === "exact" ? putEstimated : put;
  return items.reduce((placed, item, index) => {
    const position = range.from + step * (mode === "exact" ? index + 1 : index + 0.5);
    return add(placed, { ...item, position });
  }, transcript);
}

/** A user's message only ever moves to a later place. Any other stands where it began, so an older page is right. */
function isUnknown(transcript: Transcript, message: TranscriptMessage): boolean {
  const isQueued = transcript.queue.some((queued) => queued.id === message.id);
  return !isQueued && itemOf(transcript, messageKey(message.id))?.kind !== "user";
}

function newestItem(transcript: Transcript, message: TranscriptMessage): UserItem | AssistantItem {
  const known = itemOf(transcript, messageKey(message.id));
  if (known?.kind === "assistant" && known.eventId >= message.eventId) return known;
  return itemFrom(message, transcript.turn !== undefined && transcript.turn.turnId === message.turnId);
}

/** Returns true if a message waits, or waited when the transcript began and has begun or been withdrawn since then. */
function waits(transcript: Transcript, item: UserItem): boolean {
  return item.state.type === "queued" || hasOutcome(transcript, item);
}

function itemFrom(message: TranscriptMessage, running: boolean): UserItem | AssistantItem {
  const content = contentOf(message);
  if (message.role === "assistant") return assistantItem(content, 0, message.state === "streaming");
  if (message.state === "queued") return userItem(content, message.eventId, { type: "queued" });
  const state: UserMessageState = running ? { type: "running" } : { type: "done" };
  return userItem(content, 0, message.state === "withdrawn" ? { type: "withdrawn" } : state);
}

function contentOf(message: TranscriptMessage): MessageContent {
  const { id, eventId, timestamp, turnId } = message;
  const content = {
    id,
    eventId,
    timestamp,
    parts: foldParts(message.parts),
    metadata: message.metadata ?? {},
  };
  return turnId === undefined ? content : { ...content, turnId };
}

/** The turn of a message runs if the session says so, or if something of it is still being written. */
function isRunning(
  message: TranscriptMessage,
  all: readonly TranscriptMessage[],
  session?: Session,
): boolean {
  if (message.turnId === undefined || message.id.startsWith("user:")) return false;
  if (session !== undefined) return session.turn?.turnId === message.turnId;
  return all.some((other) => other.state === "streaming" && other.turnId === message.turnId);
}

/** Takes over the session's state and its open requests. Those whose event is not read stand at the end. */
function withOpen(transcript: Transcript, session: Session, eventsAfter: number): Transcript {
  const seeded = withSession({ ...transcript, permissions: [], questions: [] }, session);
  const requests = session.permissions.length + session.questions.length;
  let count = 0;
  const next = (): { id: number; timestamp: string } => {
    count += 1;
    return { id: eventsAfter + 0.5 + (count / (requests + 1)) * 0.5, timestamp: session.updatedAt };
  };
  let open = seeded;
  for (const request of session.permissions) {
    const item = permissionItem(request, next(), { type: "open" });
    const known = itemOf(open, item.key);
    open = known === undefined ? putEstimated(open, item) : put(open, { ...item, position: known.position });
    open = withOpenPermission(open, request.id);
  }
  for (const request of session.questions) {
    const item = questionItem(request, next(), { type: "open" });
    const known = itemOf(open, item.key);
    open = known === undefined ? putEstimated(open, item) : put(open, { ...item, position: known.position });
    open = withOpenQuestion(open, request.id);
  }
  return open;
}
