// `sandbox-agent/persist/memory`: sessions in memory, bounded, for tests and for programs that need no store.

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
import { UnknownSessionError } from "./errors.ts";
import {
  checkKnown,
  type EventRow,
  page,
  pageSize,
  placeAfter,
  planAppend,
  putRecord,
  storedEvent,
  toJson,
} from "./log.ts";

export interface MemoryOptions {
  /** Sessions at most, 1024 by default. Then the one that was updated least recently is dropped, ended ones first. */
  maxSessions?: number;
  /** Events of a session at most, 10,000 by default. Then the oldest are dropped. */
  maxEvents?: number;
  /** Size of a session's events as JSON text at most, 16 Mi characters by default. Then the oldest are dropped. */
  maxCharacters?: number;
}

interface Entry {
  record: SessionRecord;
  rows: EventRow[];
  characters: number;
}

/** Returns a driver that keeps everything in memory. */
export function memory(options: MemoryOptions = {}): PersistDriver {
  return new MemoryDriver(options);
}

class MemoryDriver implements PersistDriver {
  readonly #entries = new Map<string, Entry>();
  readonly #limits: Required<MemoryOptions>;

  constructor({ maxSessions = 1024, maxEvents = 10_000, maxCharacters = 16 * 1024 * 1024 }: MemoryOptions) {
    this.#limits = { maxSessions, maxEvents, maxCharacters };
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    const entry = this.#entries.get(id);
    return entry === undefined ? undefined : copy(entry.record);
  }

  async list(query: ListQuery = {}): Promise<SessionRecordPage> {
    const limit = pageSize(query);
    const place = placeAfter(query);
    const records = [...this.#entries.values()].map((entry) => entry.record).sort(newestFirst);
    const rest = place === undefined ? records : records.filter((record) => newestFirst(place, record) < 0);
    return page(rest.slice(0, limit + 1).map(copy), limit);
  }

  async put(session: SessionFields, revision: number): Promise<SessionRecord> {
    const entry = this.#entries.get(session.id);
    const record = copy(putRecord(session, entry?.record, revision));
    if (entry !== undefined) entry.record = record;
    else {
      this.#makeRoom();
      this.#entries.set(session.id, { record, rows: [], characters: 0 });
    }
    return copy(record);
  }

  async delete(id: string): Promise<void> {
    this.#entries.delete(id);
  }

  async append(
    id: string,
    events: readonly StoredEvent[],
    options: AppendOptions = {},
  ): Promise<SessionRecord> {
    const entry = this.#entry(id);
    const plan = planAppend(id, entry.record, events, options);
    checkKnown(id, plan, entry.rows);
    entry.rows = entry.rows.concat(plan.fresh);
    entry.characters += plan.fresh.reduce((sum, row) => sum + row.data.length, 0);
    entry.record = plan.record;
    this.#trim(entry);
    return copy(entry.record);
  }

  async read(id: string, { after = 0, limit = 1000 }: ReadQuery = {}): Promise<readonly StoredEvent[]> {
    const { rows, record } = this.#entry(id);
    const start = Math.max(after + 1 - record.firstSequence, 0);
    return rows.slice(start, start + limit).map(storedEvent);
  }

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new UnknownSessionError(id);
    return entry;
  }

  /** The newest event always stays, so that the log can be continued. */
  #trim(entry: Entry): void {
    const { maxEvents, maxCharacters } = this.#limits;
    let dropped = 0;
    while (entry.rows.length - dropped > 1) {
      if (entry.rows.length - dropped <= maxEvents && entry.characters <= maxCharacters) break;
      entry.characters -= entry.rows[dropped]?.data.length ?? 0;
      dropped += 1;
    }
    if (dropped === 0) return;
    entry.rows = entry.rows.slice(dropped);
    const firstSequence = entry.rows[0]?.sequence ?? 0;
    entry.record = { ...entry.record, firstSequence, eventCount: entry.rows.length };
  }

  #makeRoom(): void {
    if (this.#entries.size < this.#limits.maxSessions) return;
    const records = [...this.#entries.values()].map((entry) => entry.record);
    const [oldest] = records.sort(
      (one, other) =>
        Number(one.endedAt === undefined) - Number(other.endedAt === undefined) ||
        order(one.updatedAt, other.updatedAt),
    );
    if (oldest !== undefined) this.#entries.delete(oldest.id);
  }
}

function copy(record: SessionRecord): SessionRecord {
  return JSON.parse(toJson(record)) as SessionRecord;
}

function newestFirst(
  one: { createdAt: string; id: string },
  other: { createdAt: string; id: string },
): number {
  return order(other.createdAt, one.createdAt) || order(other.id, one.id);
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
