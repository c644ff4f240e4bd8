// Tables, columns and rows, which the SQL drivers share.

import type { SessionRecord } from "./driver.ts";
import { type EventRow, toJson } from "./log.ts";

export const SESSIONS = "sandbox_agent_sessions";
export const EVENTS = "sandbox_agent_events";
export const SCHEMA = "sandbox_agent_schema";

/** Columns of a session. Those of the driver's counts come last. */
export const COLUMNS = [
  "id",
  "agent",
  "title",
  "model",
  "mode",
  "cwd",
  "metadata",
  "created_at",
  "updated_at",
  "ended_at",
  "state",
  "fence",
  "revision",
  "event_count",
  "first_sequence",
  "last_sequence",
] as const;

/** Columns that a `put` replaces. */
export const REPLACED = COLUMNS.slice(1, 13);

/** A row of sessions, as a database returns it: large integers may come as text. */
export type SessionRow = Record<(typeof COLUMNS)[number], string | number | bigint | null>;

export type SqlValue = string | number | null;

/** Returns the columns of a record in their order. */
export function sessionValues(record: SessionRecord): SqlValue[] {
  return [
    record.id,
    record.agent,
    record.title ?? null,
    record.model ?? null,
    record.mode ?? null,
    record.cwd ?? null,
    toJson(record.metadata),
    record.createdAt,
    record.updatedAt,
    record.endedAt ?? null,
    toJson(record.state),
    record.fence,
    record.revision,
    record.eventCount,
    record.firstSequence,
    record.lastSequence,
  ];
}

/** Returns the record of a row. */
export function sessionRecord(row: SessionRow): SessionRecord {
  const optional = {
    title: row.title,
    model: row.model,
    mode: row.mode,
    cwd: row.cwd,
    endedAt: row.ended_at,
  };
  const present = Object.entries(optional).filter(([, value]) => value !== null);
  return {
    id: String(row.id),
    agent: String(row.agent),
    ...Object.fromEntries(present),
    metadata: JSON.parse(String(row.metadata)) as Record<string, unknown>,
    createdAt: String(row.created_at),
    updatedAt: String(row.updated_at),
    state: JSON.parse(String(row.state)) as Record<string, unknown>,
    fence: Number(row.fence),
    revision: Number(row.revision),
    eventCount: Number(row.event_count),
    firstSequence: Number(row.first_sequence),
    lastSequence: Number(row.last_sequence),
  };
}

export function toEventRow(row: Record<string, unknown>): EventRow {
  return {
    sequence: Number(row["sequence"]),
    createdAt: String(row["created_at"]),
    data: String(row["data"]),
  };
}

/** Statements that lead from each version of the schema to the next one. Never change one: add another. */
export function migrations(types: { text: string; integer: string }): readonly (readonly string[])[] {
  const { text, integer } = types;
  const first = [
    `CREATE TABLE ${SESSIONS} (
      id ${text} PRIMARY KEY, agent ${text} NOT NULL, title ${text}, model ${text}, mode ${text}, cwd ${text},
      metadata ${text} NOT NULL, created_at ${text} NOT NULL, updated_at ${text} NOT NULL, ended_at ${text},
      state ${text} NOT NULL, fence ${integer} NOT NULL, revision ${integer} NOT NULL, event_count ${integer} NOT NULL,
      first_sequence ${integer} NOT NULL, last_sequence ${integer} NOT NULL)`,
    `CREATE TABLE ${EVENTS} (
      session_id ${text} NOT NULL REFERENCES ${SESSIONS} (id) ON DELETE CASCADE, sequence ${integer} NOT NULL,
      created_at ${text} NOT NULL, data ${text} NOT NULL, PRIMARY KEY (session_id, sequence))`,
  ];
  const second = [`CREATE INDEX ${SESSIONS}_by_age ON ${SESSIONS} (created_at, id)`];
  return [first, second];
}
