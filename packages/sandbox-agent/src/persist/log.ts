// The rules of a log and the form of its rows, the same for every driver.

import type {
  AppendOptions,
  ListQuery,
  SessionFields,
  SessionRecord,
  SessionRecordPage,
  StoredEvent,
} from "./driver.ts";
import {
  EventConflictError,
  FencedError,
  PersistError,
  RevisionConflictError,
  SequenceGapError,
  UnknownSessionError,
} from "./errors.ts";

/** An event whose data is JSON text, as drivers store it: the text survives every database unchanged. */
export interface EventRow {
  readonly sequence: number;
  readonly createdAt: string;
  readonly data: string;
}

/** The work of an append. */
export interface AppendPlan {
  /** Rows that are new. */
  readonly fresh: readonly EventRow[];
  /** Rows that should be in the log already. */
  readonly known: readonly EventRow[];
  /** The record afterwards. */
  readonly record: SessionRecord;
}

/** Checks an append against the stored record and returns what it has to do. */
export function planAppend(
  sessionId: string,
  record: SessionRecord | undefined,
  events: readonly StoredEvent[],
  options: AppendOptions,
): AppendPlan {
  if (record === undefined) throw new UnknownSessionError(sessionId);
  const { id, fence, lastSequence, eventCount } = record;
  if (options.fence !== undefined && options.fence !== fence) throw new FencedError(id);
  checkOrder(id, events, lastSequence);
  const rows = events.map(eventRow);
  const fresh = rows.filter((row) => row.sequence > lastSequence);
  const known = rows.filter((row) => row.sequence <= lastSequence && row.sequence >= record.firstSequence);
  const first = fresh[0];
  const last = fresh.at(-1);
  if (first === undefined || last === undefined) return { fresh, known, record };
  const after: SessionRecord = {
    ...record,
    updatedAt: later(record.updatedAt, last.createdAt),
    eventCount: eventCount + fresh.length,
    firstSequence: record.firstSequence === 0 ? first.sequence : record.firstSequence,
    lastSequence: last.sequence,
  };
  return { fresh, known, record: after };
}

/** Times of this form have the order of their text. */
function later(one: string, other: string): string {
  return [one, other].sort()[1] ?? one;
}

/** Throws if a stored row differs from the one that was to be appended. */
export function checkKnown(id: string, plan: AppendPlan, stored: readonly EventRow[]): void {
  const texts = new Map(stored.map((row) => [row.sequence, row.data]));
  for (const row of plan.known) {
    if (texts.get(row.sequence) !== row.data) throw new EventConflictError(id, row.sequence);
  }
}

function checkOrder(id: string, events: readonly StoredEvent[], lastSequence: number): void {
  let expected = lastSequence + 1;
  for (const [index, { sequence }] of events.entries()) {
    if (!Number.isSafeInteger(sequence) || sequence < 1) {
      throw new PersistError(`invalid sequence ${sequence}: expected a positive integer`);
    }
    // The first event may repeat what is stored, and an empty log may begin anywhere.
    const isStart = index === 0 && (lastSequence === 0 || sequence < expected);
    if (!isStart && sequence !== expected) throw new SequenceGapError(id, expected, sequence);
    expected = sequence + 1;
  }
}

/** Turns a value into JSON text. Throws a `PersistError` for one that has none. */
export function toJson(value: unknown): string {
  try {
    const text = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (cause) {
    throw new PersistError("a value cannot be stored as JSON", { cause });
  }
  throw new PersistError(`a value of type ${typeof value} cannot be stored as JSON`);
}

export function eventRow({ sequence, createdAt, data }: StoredEvent): EventRow {
  return { sequence, createdAt, data: toJson(data) };
}

export function storedEvent({ sequence, createdAt, data }: EventRow): StoredEvent {
  return { sequence, createdAt, data: JSON.parse(data) as unknown };
}

/** Returns the record of a session that is stored for the first time. */
export function newRecord(session: SessionFields): SessionRecord {
  return { ...session, revision: 1, eventCount: 0, firstSequence: 0, lastSequence: 0 };
}

/** Returns the record of a session that is put at a revision. Throws unless the stored one is at that revision. */
export function putRecord(
  session: SessionFields,
  stored: SessionRecord | undefined,
  revision: number,
): SessionRecord {
  if ((stored?.revision ?? 0) !== revision) throw new RevisionConflictError(session.id, revision);
  if (stored === undefined) return newRecord(session);
  const { eventCount, firstSequence, lastSequence } = stored;
  return { ...session, revision: revision + 1, eventCount, firstSequence, lastSequence };
}

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1000;

export function pageSize({ limit = DEFAULT_PAGE }: ListQuery): number {
  return Math.min(Math.max(Math.trunc(limit), 1), MAX_PAGE);
}

/** Place of a record in the list. */
export interface Place {
  createdAt: string;
  id: string;
}

/** Returns the place that a list continues after; undefined for the beginning. */
export function placeAfter({ after }: ListQuery): Place | undefined {
  if (after === undefined) return undefined;
  const cut = after.indexOf("/");
  if (cut < 0) throw new PersistError(`invalid cursor '${after}': expected 'next' of a page`);
  return { createdAt: after.slice(0, cut), id: after.slice(cut + 1) };
}

/** Makes a page of the records that were found, of which one more than `limit` was asked for. */
export function page(found: readonly SessionRecord[], limit: number): SessionRecordPage {
  const sessions = found.slice(0, limit);
  const last = sessions.at(-1);
  if (found.length <= limit || last === undefined) return { sessions };
  return { sessions, next: `${last.createdAt}/${last.id}` };
}

/** Returns the error for a failure of a database, with its message. */
export function databaseError(database: string, cause: unknown): PersistError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new PersistError(`${database} failed: ${message}`, { cause });
}
