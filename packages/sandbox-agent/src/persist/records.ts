// Operations that every driver supports through its few primitives.

import type { PersistDriver, SessionFields, SessionRecord, StoredEvent } from "./driver.ts";
import { RevisionConflictError, UnknownSessionError } from "./errors.ts";

/** Attempts of a change that other writers get ahead of. */
const ATTEMPTS = 100;

/** Changes a record, and repeats the change if another writer was faster. */
export async function updateRecord(
  driver: PersistDriver,
  id: string,
  change: (record: SessionRecord) => SessionFields,
): Promise<SessionRecord> {
  for (let attempt = 1; ; attempt += 1) {
    const record = await driver.get(id);
    if (record === undefined) throw new UnknownSessionError(id);
    try {
      return await driver.put(change(record), record.revision);
    } catch (error) {
      if (!(error instanceof RevisionConflictError) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Creates a record unless it exists, and returns the stored one. */
export async function ensureRecord(driver: PersistDriver, session: SessionFields): Promise<SessionRecord> {
  try {
    return (await driver.get(session.id)) ?? (await driver.put(session, 0));
  } catch (error) {
    const found = error instanceof RevisionConflictError ? await driver.get(session.id) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

/** Events that are read at once. */
const PAGE = 500;

/** Iterates over all events of a log, page by page. */
export async function* storedEvents(
  driver: PersistDriver,
  id: string,
  after = 0,
): AsyncGenerator<StoredEvent, void, undefined> {
  for (let last = after; ; ) {
    const events = await driver.read(id, { after: last, limit: PAGE });
    yield* events;
    const newest = events.at(-1);
    if (newest === undefined || events.length < PAGE) return;
    last = newest.sequence;
  }
}
