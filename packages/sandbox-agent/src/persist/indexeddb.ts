// `sandbox-agent/persist/indexeddb`: sessions in the browser.

import type {
  AppendOptions,
  ListQuery,
  PersistDriver,
  ReadQuery,
  SessionFields,
  SessionRecord,
  SessionRecordPage,
  StoredEvent,
} from "./driver.ts";
import { PersistError, SchemaVersionError, UnknownSessionError } from "./errors.ts";
import {
  checkKnown,
  databaseError,
  type EventRow,
  page,
  pageSize,
  placeAfter,
  planAppend,
  putRecord,
  storedEvent,
  toJson,
} from "./log.ts";

export interface IndexedDbOptions {
  /** Name of the database, `sandbox-agent` by default. */
  name?: string;
  /** Replaces the global `indexedDB`. */
  factory?: IDBFactory;
}

const SESSIONS = "sessions";
const EVENTS = "events";
const BY_AGE = "byAge";
const VERSION = 2;

/** Returns a driver for a database of the browser, which several tabs and workers may share. */
export function indexedDb(options: IndexedDbOptions = {}): PersistDriver {
  return new IndexedDbDriver(options);
}

class IndexedDbDriver implements PersistDriver {
  readonly #options: IndexedDbOptions;
  #database: Promise<IDBDatabase> | undefined;

  constructor(options: IndexedDbOptions) {
    this.#options = options;
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    return this.#transaction("readonly", (stores) => find(stores, id));
  }

  async list(query: ListQuery = {}): Promise<SessionRecordPage> {
    const limit = pageSize(query);
    const place = placeAfter(query);
    const range = place === undefined ? undefined : IDBKeyRange.upperBound([place.createdAt, place.id], true);
    const found = await this.#transaction("readonly", ({ sessions }) =>
      collect(sessions.index(BY_AGE).openCursor(range, "prev"), limit + 1),
    );
    return page(found as SessionRecord[], limit);
  }

  async put(session: SessionFields, revision: number): Promise<SessionRecord> {
    return this.#transaction("readwrite", async (stores) => {
      const stored = await find(stores, session.id);
      // Only what JSON can express is stored, as in every other driver.
      const record = JSON.parse(toJson(putRecord(session, stored, revision))) as SessionRecord;
      await settled(stores.sessions.put(record));
      return record;
    });
  }

  async delete(id: string): Promise<void> {
    await this.#transaction("readwrite", async ({ sessions, events }) => {
      await settled(events.delete(sequences(id, 0)));
      await settled(sessions.delete(id));
    });
  }

  async append(
    id: string,
    added: readonly StoredEvent[],
    options: AppendOptions = {},
  ): Promise<SessionRecord> {
    return this.#transaction("readwrite", async (stores) => {
      const plan = planAppend(id, await find(stores, id), added, options);
      const first = plan.known[0];
      if (first !== undefined) {
        const range = sequences(id, first.sequence - 1);
        checkKnown(id, plan, (await settled(stores.events.getAll(range, plan.known.length))) as EventRow[]);
      }
      for (const row of plan.fresh) stores.events.put({ sessionId: id, ...row });
      await settled(stores.sessions.put(plan.record));
      return plan.record;
    });
  }

  async read(id: string, { after = 0, limit = 1000 }: ReadQuery = {}): Promise<readonly StoredEvent[]> {
    const rows = await this.#transaction("readonly", async (stores) => {
      const found = (await settled(stores.events.getAll(sequences(id, after), limit))) as EventRow[];
      if (found.length === 0 && (await find(stores, id)) === undefined) throw new UnknownSessionError(id);
      return found;
    });
    return rows.map(storedEvent);
  }

  async close(): Promise<void> {
    const database = this.#database;
    this.#database = undefined;
    (await database?.catch(() => undefined))?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Runs work in one transaction. It may await nothing but requests of that transaction. */
  async #transaction<T>(
    mode: IDBTransactionMode,
    work: (stores: { sessions: IDBObjectStore; events: IDBObjectStore }) => Promise<T>,
  ): Promise<T> {
    const database = await this.#open();
    try {
      const transaction = database.transaction([SESSIONS, EVENTS], mode);
      const stores = {
        sessions: transaction.objectStore(SESSIONS),
        events: transaction.objectStore(EVENTS),
      };
      const completed = completion(transaction);
      try {
        const result = await work(stores);
        await completed;
        return result;
      } catch (error) {
        completed.catch(() => {});
        abort(transaction);
        throw error;
      }
    } catch (error) {
      throw failure(error);
    }
  }

  #open(): Promise<IDBDatabase> {
    this.#database ??= this.#connect().catch((error: unknown) => {
      this.#database = undefined;
      throw failure(error);
    });
    return this.#database;
  }

  async #connect(): Promise<IDBDatabase> {
    const { name = "sandbox-agent", factory = globalThis.indexedDB } = this.#options;
    if (factory === undefined) throw new PersistError("this runtime has no IndexedDB");
    const request = factory.open(name, VERSION);
    request.onupgradeneeded = ({ oldVersion }) => upgrade(request, oldVersion);
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
      request.onblocked = () => reject(new PersistError("another tab uses an older version of the store"));
    });
    const forget = (): void => {
      this.#database = undefined;
    };
    // Another tab has a newer version of this package and waits for this connection to end.
    database.onversionchange = () => {
      database.close();
      forget();
    };
    database.onclose = forget;
    return database;
  }
}

function upgrade(request: IDBOpenDBRequest, oldVersion: number): void {
  if (oldVersion < 1) {
    request.result.createObjectStore(SESSIONS, { keyPath: "id" });
    request.result.createObjectStore(EVENTS, { keyPath: ["sessionId", "sequence"] });
  }
  if (oldVersion < 2) request.transaction?.objectStore(SESSIONS).createIndex(BY_AGE, ["createdAt", "id"]);
}

async function find(
  { sessions }: { sessions: IDBObjectStore },
  id: string,
): Promise<SessionRecord | undefined> {
  return (await settled(sessions.get(id))) as SessionRecord | undefined;
}

/** The events of a session after a sequence. */
function sequences(id: string, after: number): IDBKeyRange {
  return IDBKeyRange.bound([id, after], [id, Number.POSITIVE_INFINITY], true, true);
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function collect(request: IDBRequest<IDBCursorWithValue | null>, limit: number): Promise<unknown[]> {
  const found: unknown[] = [];
  return new Promise((resolve, reject) => {
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const cursor = request.result;
      if (cursor === null || found.length >= limit) return resolve(found);
      found.push(cursor.value);
      cursor.continue();
    };
  });
}

function completion(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // The transaction has already ended.
  }
}

function failure(error: unknown): PersistError {
  if (error instanceof PersistError) return error;
  const isNewer = error instanceof DOMException && error.name === "VersionError";
  if (isNewer) return new SchemaVersionError(newerVersion(error), VERSION);
  return databaseError("IndexedDB", error ?? "the transaction was aborted");
}

/** The exception has the version of the database in its text only. */
function newerVersion(error: DOMException): number {
  const numbers = (error.message.match(/\d+/g) ?? []).map(Number);
  return Math.max(VERSION + 1, ...numbers);
}
