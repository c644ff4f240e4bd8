// Events and ACP messages as records of a log.

import type { ServerEvent, UniversalEvent } from "sandbox-agent";
import { exactTime } from "./format.ts";
import { membersOf } from "./tool-view.ts";

/** One line of a log, and the raw data behind it. */
export interface LogRecord {
  readonly id: number;
  readonly name: string;
  readonly summary: string;
  readonly title: string;
  readonly value: unknown;
}

/** Characters of the summary. */
const SUMMARY = 200;

/** Returns records that contain a text anywhere in their data. */
export function matching<T>(records: readonly T[], filter: string): readonly T[] {
  const words = filter.toLowerCase();
  if (words === "") return records;
  return records.filter((record) => JSON.stringify(record).toLowerCase().includes(words));
}

export function eventRecord(event: UniversalEvent): LogRecord {
  return {
    id: event.id,
    name: event.type,
    summary: summary(Object.values(event.data)[0]),
    title: exactTime(event.timestamp),
    value: event,
  };
}

export function messageRecord(event: ServerEvent): LogRecord {
  const { method, params, result, error, id } = membersOf(event.data);
  const update = membersOf(membersOf(params)["update"])["sessionUpdate"];
  const response = error === undefined ? `result ${id}` : `error ${id}`;
  const named = typeof update === "string" ? update : typeof method === "string" ? method : response;
  return {
    id: event.id,
    name: event.type === "message" || event.type === "response" ? named : event.type,
    summary: summary(params ?? result ?? error ?? event.data),
    title: typeof method === "string" ? method : "Response of the agent",
    value: event.data,
  };
}

/** Returns true if a message belongs to an agent's own session, or to none. One process may serve many sessions. */
export function isOfSession(event: ServerEvent, nativeSessionId: string | undefined): boolean {
  const id = membersOf(membersOf(event.data)["params"])["sessionId"];
  return id === undefined || nativeSessionId === undefined || id === nativeSessionId;
}

function summary(value: unknown): string {
  return JSON.stringify(value)?.slice(0, SUMMARY) ?? "";
}
