// Brings a mirrored session up in another sandbox.

import type { SandboxAgent } from "../client.ts";
import { NotFoundError } from "../errors/problems.ts";
import type { PersistDriver, SessionRecord } from "../persist/driver.ts";
import { storedEvents, updateRecord } from "../persist/records.ts";
import type { Session } from "../sessions/session.ts";
import { NotRestorableError } from "./errors.ts";
import { movedHead } from "./head.ts";

export interface RestoreOptions {
  /**
   * Id of the new session; that of the mirrored one by default. Under another id it is a copy, and a mirror of the first
   * one may continue.
   */
  id?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Creates a session from its mirrored log in another sandbox. Everything that was stored is in its log; a turn that was
 * running has ended there with the stop reason `unknown`. From now on the store refuses events of the old sandbox. The next
 * message continues the conversation, and a `continuity` event says how much the agent remembers.
 *
 * @example
 * const session = await restore(client, postgres(pool), sessionId);
 * await session.send("Continue").done;
 */
export async function restore(
  client: SandboxAgent,
  store: PersistDriver,
  sessionId: string,
  options: RestoreOptions = {},
): Promise<Session> {
  const { id = sessionId, signal } = options;
  signal?.throwIfAborted();
  if (await exists(client, id, signal))
    throw new NotRestorableError(sessionId, `the sandbox has a session '${id}'`);
  const record = id === sessionId ? await fence(store, sessionId) : await store.get(sessionId);
  if (record === undefined) throw new NotRestorableError(sessionId, "it is not in the store");
  const lines = new Blob(await exportLines(store, record, signal));
  return client.sessions.import(lines, { id, signal });
}

/** Looks before the log is taken over: a session that cannot be restored should stay where it is. */
async function exists(client: SandboxAgent, id: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await client.sessions.get(id, { signal });
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}

/** Takes the log over, so that a mirror of the old sandbox cannot add events that the new one does not have. */
async function fence(store: PersistDriver, id: string): Promise<SessionRecord | undefined> {
  if ((await store.get(id)) === undefined) return undefined;
  return updateRecord(store, id, (record) => ({ ...record, fence: record.fence + 1 }));
}

/** Returns the log in the form of an export. */
async function exportLines(
  store: PersistDriver,
  record: SessionRecord,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { head } = record.state;
  if (typeof head !== "object" || head === null) {
    throw new NotRestorableError(record.id, "its record was not written by a mirror");
  }
  const lines: string[] = [];
  let last = 0;
  for await (const event of storedEvents(store, record.id)) {
    signal?.throwIfAborted();
    if (last > 0 && event.sequence !== last + 1) {
      throw new NotRestorableError(record.id, `event ${last + 1} is missing`);
    }
    last = event.sequence;
    lines.push(`${JSON.stringify(event.data)}\n`);
  }
  // The record may be older than the log: what the log says counts.
  const moved = movedHead(head as Record<string, unknown>, record.fence, last);
  return [`${JSON.stringify(moved)}\n`, ...lines];
}
