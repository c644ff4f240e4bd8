// `sandbox-agent/persist/sqlite`: sessions in a SQLite database, through any driver with the API of better-sqlite3.

import { Backoff, sleep } from "acp-http-client/sse";
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
  type AppendPlan,
  checkKnown,
  databaseError,
  page,
  pageSize,
  placeAfter,
  planAppend,
  putRecord,
  storedEvent,
} from "./log.ts";
import {
  COLUMNS,
  EVENTS,
  migrations,
  REPLACED,
  SCHEMA,
  SESSIONS,
  type SessionRow,
  type SqlValue,
  sessionRecord,
  sessionValues,
  toEventRow,
} from "./sql.ts";

/** A prepared statement. Its parameters are declared differently by each package. */
export interface SqliteStatement {
  run(...values: never[]): unknown;
  get(...values: never[]): unknown;
  all(...values: never[]): unknown[];
}

/** A database of `better-sqlite3`, `libsql`, `node:sqlite` or `bun:sqlite`. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

interface Statement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
}

/** How long a call waits for another process that holds the database. */
const BUSY_MS = 15_000;
const MIGRATIONS = migrations({ text: "TEXT", integer: "INTEGER" });

/** Returns a driver for a database that is open. Creates its tables, whose names begin with `sandbox_agent_`, on first use. */
export function sqlite(database: SqliteDatabase): PersistDriver {
  return new SqliteDriver(database);
}

class SqliteDriver implements PersistDriver {
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, Statement>();
  #migrated = false;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    return this.#work(() => this.#find(id));
  }

  async list(query: ListQuery = {}): Promise<SessionRecordPage> {
    const limit = pageSize(query);
    const place = placeAfter(query);
    const where = place === undefined ? "" : "WHERE (created_at, id) < (?, ?)";
    const sql = `SELECT * FROM ${SESSIONS} ${where} ORDER BY created_at DESC, id DESC LIMIT ?`;
    const values = place === undefined ? [limit + 1] : [place.createdAt, place.id, limit + 1];
    const rows = await this.#work(() => this.#statement(sql).all(...values) as SessionRow[]);
    return page(rows.map(sessionRecord), limit);
  }

  async put(session: SessionFields, revision: number): Promise<SessionRecord> {
    return this.#transaction(() => {
      const stored = this.#find(session.id);
      const record = putRecord(session, stored, revision);
      const values = sessionValues(record);
      if (stored === undefined) {
        const marks = COLUMNS.map(() => "?").join(", ");
        this.#statement(`INSERT INTO ${SESSIONS} (${COLUMNS.join(", ")}) VALUES (${marks})`).run(...values);
      } else {
        const sql = `UPDATE ${SESSIONS} SET ${REPLACED.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`;
        this.#statement(sql).run(...values.slice(1, 1 + REPLACED.length), record.id);
      }
      return this.#find(record.id) ?? record;
    });
  }

  async delete(id: string): Promise<void> {
    await this.#transaction(() => {
      // Foreign keys are off by default in SQLite.
      this.#statement(`DELETE FROM ${EVENTS} WHERE session_id = ?`).run(id);
      this.#statement(`DELETE FROM ${SESSIONS} WHERE id = ?`).run(id);
    });
  }

  async append(
    id: string,
    events: readonly StoredEvent[],
    options: AppendOptions = {},
  ): Promise<SessionRecord> {
    return this.#transaction(() => {
      const plan = planAppend(id, this.#find(id), events, options);
      this.#check(id, plan);
      const insert = `INSERT INTO ${EVENTS} (session_id, sequence, created_at, data) VALUES (?, ?, ?, ?)`;
      for (const row of plan.fresh) this.#statement(insert).run(id, row.sequence, row.createdAt, row.data);
      const { updatedAt, eventCount, firstSequence, lastSequence } = plan.record;
      this.#statement(
        `UPDATE ${SESSIONS} SET updated_at = ?, event_count = ?, first_sequence = ?, last_sequence = ? WHERE id = ?`,
      ).run(updatedAt, eventCount, firstSequence, lastSequence, id);
      return plan.record;
    });
  }

  async read(id: string, { after = 0, limit = 1000 }: ReadQuery = {}): Promise<readonly StoredEvent[]> {
    const rows = await this.#work(() => {
      const found = this.#rows(id, after, limit);
      if (found.length === 0 && this.#find(id) === undefined) throw new UnknownSessionError(id);
      return found;
    });
    return rows.map(storedEvent);
  }

  async close(): Promise<void> {
    this.#statements.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #find(id: string): SessionRecord | undefined {
    const row = this.#statement(`SELECT * FROM ${SESSIONS} WHERE id = ?`).get(id);
    return row === undefined || row === null ? undefined : sessionRecord(row as SessionRow);
  }

  #rows(id: string, after: number, limit: number): ReturnType<typeof toEventRow>[] {
    const sql = `SELECT sequence, created_at, data FROM ${EVENTS} WHERE session_id = ? AND sequence > ? ORDER BY sequence LIMIT ?`;
    return (this.#statement(sql).all(id, after, limit) as Record<string, unknown>[]).map(toEventRow);
  }

  #check(id: string, plan: AppendPlan): void {
    const first = plan.known[0];
    if (first !== undefined) checkKnown(id, plan, this.#rows(id, first.sequence - 1, plan.known.length));
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql) as unknown as Statement;
    this.#statements.set(sql, statement);
    return statement;
  }

  #transaction<T>(work: () => T): Promise<T> {
    return this.#work(() => this.#atomically(work));
  }

  /** The API is synchronous, so calls of one process never interleave. `IMMEDIATE` keeps other processes out as well. */
  #atomically<T>(work: () => T): T {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        this.#database.exec("ROLLBACK");
      } catch {
        // Some failures, such as a full disk, have rolled back already.
      }
      throw error;
    }
  }

  /** Repeats work while another process holds the database, without blocking this one. */
  async #work<T>(work: () => T): Promise<T> {
    const backoff = new Backoff({ initialMs: 5, maxMs: 100 });
    const until = performance.now() + BUSY_MS;
    for (;;) {
      try {
        if (!this.#migrated) this.#atomically(() => this.#migrate());
        this.#migrated = true;
        return work();
      } catch (error) {
        if (error instanceof PersistError) throw error;
        if (!isBusy(error) || performance.now() > until) throw databaseError("SQLite", error);
      }
      await sleep(backoff.next() ?? 100);
    }
  }

  #migrate(): void {
    this.#database.exec(`CREATE TABLE IF NOT EXISTS ${SCHEMA} (version INTEGER NOT NULL)`);
    const row = this.#database.prepare(`SELECT max(version) AS version FROM ${SCHEMA}`).get();
    const version = Number((row as { version: number | null }).version ?? 0);
    if (version > MIGRATIONS.length) throw new SchemaVersionError(version, MIGRATIONS.length);
    for (const [index, statements] of MIGRATIONS.entries()) {
      if (index < version) continue;
      for (const statement of statements) this.#database.exec(statement);
      this.#database.exec(`INSERT INTO ${SCHEMA} (version) VALUES (${index + 1})`);
    }
  }
}

/** Each driver reports it in its own way; all of them have the text of SQLite. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return code.startsWith("SQLITE_BUSY") || /database (table )?is locked/.test(error.message);
}
