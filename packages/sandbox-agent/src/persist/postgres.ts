// `sandbox-agent/persist/postgres`: sessions in Postgres, through `pg` or anything that runs a query like it.

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
import { PersistError, RevisionConflictError, SchemaVersionError, UnknownSessionError } from "./errors.ts";
import {
  type AppendPlan,
  checkKnown,
  databaseError,
  type EventRow,
  newRecord,
  page,
  pageSize,
  placeAfter,
  planAppend,
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

/** A `Pool` or a connected `Client` of `pg`, or anything else that runs a query with numbered parameters. */
export interface PostgresQueryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Attempts of an append that other writers get ahead of. */
const ATTEMPTS = 50;
/** Key of the lock that only one process at a time migrates under. */
const LOCK = 7_263_541;
const MIGRATIONS = migrations({ text: 'TEXT COLLATE "C"', integer: "BIGINT" });

/**
 * Returns a driver for a database. Creates its tables, whose names begin with `sandbox_agent_`, on first use. Every change
 * is one statement, so a pool, a single connection and a connection pooler all work.
 */
export function postgres(database: PostgresQueryable): PersistDriver {
  return new PostgresDriver(database);
}

class PostgresDriver implements PersistDriver {
  readonly #database: PostgresQueryable;
  #migration: Promise<void> | undefined;

  constructor(database: PostgresQueryable) {
    this.#database = database;
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    const [row] = await this.#query(`SELECT * FROM ${SESSIONS} WHERE id = $1`, [id]);
    return row === undefined ? undefined : sessionRecord(row as SessionRow);
  }

  async list(query: ListQuery = {}): Promise<SessionRecordPage> {
    const limit = pageSize(query);
    const place = placeAfter(query);
    const where = place === undefined ? "" : "WHERE (created_at, id) < ($2, $3)";
    const sql = `SELECT * FROM ${SESSIONS} ${where} ORDER BY created_at DESC, id DESC LIMIT $1`;
    const values = place === undefined ? [limit + 1] : [limit + 1, place.createdAt, place.id];
    const rows = await this.#query(sql, values);
    return page((rows as SessionRow[]).map(sessionRecord), limit);
  }

  async put(session: SessionFields, revision: number): Promise<SessionRecord> {
    const values = sessionValues({ ...newRecord(session), revision: revision + 1 });
    const marks = values.map((_, index) => `$${index + 1}`);
    const sets = REPLACED.map((name, index) => `${name} = $${index + 2}`).join(", ");
    const [row] =
      revision === 0
        ? await this.#query(
            `INSERT INTO ${SESSIONS} (${COLUMNS.join(", ")}) VALUES (${marks.join(", ")})
             ON CONFLICT (id) DO NOTHING RETURNING *`,
            values,
          )
        : await this.#query(
            `UPDATE ${SESSIONS} SET ${sets} WHERE id = $1 AND revision = $${REPLACED.length + 2} RETURNING *`,
            [...values.slice(0, 1 + REPLACED.length), revision],
          );
    if (row === undefined) throw new RevisionConflictError(session.id, revision);
    return sessionRecord(row as SessionRow);
  }

  async delete(id: string): Promise<void> {
    await this.#query(`DELETE FROM ${SESSIONS} WHERE id = $1`, [id]);
  }

  async append(
    id: string,
    events: readonly StoredEvent[],
    options: AppendOptions = {},
  ): Promise<SessionRecord> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const stored = await this.get(id);
      if (stored === undefined) throw new UnknownSessionError(id);
      const plan = planAppend(id, stored, events, options);
      await this.#check(id, plan);
      const record = plan.fresh.length === 0 ? stored : await this.#insert(stored, plan);
      if (record !== undefined) return record;
    }
    throw new PersistError(`session '${id}' has too many writers at once`);
  }

  async read(id: string, { after = 0, limit = 1000 }: ReadQuery = {}): Promise<readonly StoredEvent[]> {
    const rows = await this.#rows(id, after, limit);
    if (rows.length === 0 && (await this.get(id)) === undefined) throw new UnknownSessionError(id);
    return rows.map(storedEvent);
  }

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}

  /** Appends if the log still ends where the plan assumes; undefined if another writer was faster. */
  async #insert(stored: SessionRecord, plan: AppendPlan): Promise<SessionRecord | undefined> {
    const { updatedAt, firstSequence, lastSequence } = plan.record;
    const sql = `
      WITH head AS (
        UPDATE ${SESSIONS}
        SET updated_at = greatest(updated_at, $4), event_count = event_count + $5, first_sequence = $6, last_sequence = $7
        WHERE id = $1 AND last_sequence = $2 AND fence = $3
        RETURNING *
      ), added AS (
        INSERT INTO ${EVENTS} (session_id, sequence, created_at, data)
        SELECT head.id, event.sequence, event.created_at, event.data
        FROM head, unnest($8::bigint[], $9::text[], $10::text[]) AS event (sequence, created_at, data)
      )
      SELECT * FROM head`;
    const columns = [
      plan.fresh.map((row) => row.sequence),
      plan.fresh.map((row) => row.createdAt),
      plan.fresh.map((row) => row.data),
    ];
    const head = [stored.id, stored.lastSequence, stored.fence, updatedAt, plan.fresh.length];
    const [row] = await this.#query(sql, [...head, firstSequence, lastSequence, ...columns]);
    return row === undefined ? undefined : sessionRecord(row as SessionRow);
  }

  async #check(id: string, plan: AppendPlan): Promise<void> {
    const first = plan.known[0];
    if (first === undefined) return;
    checkKnown(id, plan, await this.#rows(id, first.sequence - 1, plan.known.length));
  }

  async #rows(id: string, after: number, limit: number): Promise<EventRow[]> {
    const sql = `SELECT sequence, created_at, data FROM ${EVENTS} WHERE session_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`;
    const rows = await this.#query(sql, [id, after, limit]);
    return (rows as Record<string, unknown>[]).map(toEventRow);
  }

  async #query(text: string, values: (SqlValue | SqlValue[])[]): Promise<unknown[]> {
    this.#migration ??= this.#migrate();
    try {
      await this.#migration;
    } catch (error) {
      this.#migration = undefined;
      throw error;
    }
    return this.#run(text, values);
  }

  async #run(text: string, values: unknown[] = []): Promise<unknown[]> {
    try {
      return (await this.#database.query(text, values)).rows;
    } catch (cause) {
      throw databaseError("Postgres", cause);
    }
  }

  /** Runs as one statement, so that it is one transaction through any pool. */
  async #migrate(): Promise<void> {
    const steps = MIGRATIONS.map((statements, index) => {
      const body = statements.map((statement) => `${statement};`).join("\n");
      return `IF version < ${index + 1} THEN ${body} INSERT INTO ${SCHEMA} VALUES (${index + 1}); END IF;`;
    });
    await this.#run(`
      DO $migrate$
      DECLARE version BIGINT;
      BEGIN
        PERFORM pg_advisory_xact_lock(${LOCK});
        CREATE TABLE IF NOT EXISTS ${SCHEMA} (version BIGINT PRIMARY KEY);
        SELECT coalesce(max(s.version), 0) INTO version FROM ${SCHEMA} s;
        ${steps.join("\n")}
      END $migrate$`);
    const [row] = await this.#run(`SELECT max(version) AS version FROM ${SCHEMA}`);
    const version = Number((row as { version: unknown }).version);
    if (version > MIGRATIONS.length) throw new SchemaVersionError(version, MIGRATIONS.length);
  }
}
