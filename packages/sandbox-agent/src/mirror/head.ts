// The first line of an export: what a daemon needs to know about a session apart from its events.

import { UnexpectedResponseError } from "../errors/errors.ts";
import type { Session } from "../sessions/session.ts";

/** The record of a session as the daemon exports it. Only the daemon knows what is in it. */
export type ExportHead = Readonly<Record<string, unknown>>;

/** Member of a session's metadata that is not the application's. */
const NAMESPACE = "sandboxagent.dev";

type Metadata = Readonly<Record<string, unknown>>;

/** Returns the number of the writer that a session belongs to. It comes with the session, so every process knows it. */
export function fenceOf(metadata: Metadata): number {
  const own = metadata[NAMESPACE];
  const fence = typeof own === "object" && own !== null && "mirror" in own ? own.mirror : 0;
  return typeof fence === "number" ? fence : 0;
}

/** Returns the metadata of the application. */
export function withoutFence(metadata: Metadata): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== NAMESPACE));
}

/** Returns the head of a session that belongs to another writer and has events up to `lastEventId`. */
export function movedHead(head: ExportHead, fence: number, lastEventId: number): ExportHead {
  const record = { ...(head["record"] as Record<string, unknown>) };
  const metadata = withoutFence((record["metadata"] as Metadata | undefined) ?? {});
  record["metadata"] = { ...metadata, [NAMESPACE]: { mirror: fence } };
  return { ...head, record, lastEventId };
}

/** Longest first line in characters. */
const MAX_HEAD = 64 * 1024 * 1024;

/** Reads the first line of an export, and nothing more of it. */
export async function exportHead(session: Session, signal: AbortSignal): Promise<ExportHead> {
  const body = await session.export({ signal });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let line = "";
  try {
    while (line.length < MAX_HEAD) {
      const { done, value } = await reader.read();
      const text = decoder.decode(value, { stream: !done });
      const end = text.indexOf("\n");
      line += end < 0 ? text : text.slice(0, end);
      if (done || end >= 0) return parse(line);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  throw new UnexpectedResponseError("the export of a session has no first line", 200, line.slice(0, 500));
}

function parse(line: string): ExportHead {
  try {
    return JSON.parse(line) as ExportHead;
  } catch {
    throw new UnexpectedResponseError(
      "the export of a session does not begin with JSON",
      200,
      line.slice(0, 500),
    );
  }
}
