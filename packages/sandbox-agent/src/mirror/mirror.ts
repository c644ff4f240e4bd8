// Keeps the log of a session in a store while the session runs.

import type { UniversalEvent } from "../generated/openapi.gen.ts";
import type { PersistDriver, SessionRecord, StoredEvent } from "../persist/driver.ts";
import { FencedError } from "../persist/errors.ts";
import { ensureRecord, updateRecord } from "../persist/records.ts";
import type { Session } from "../sessions/session.ts";
import { MirrorConflictError, MirrorGapError, MirrorStoppedError } from "./errors.ts";
import { exportHead, fenceOf, withoutFence } from "./head.ts";

export interface MirrorOptions {
  /** Stops the mirror. `done` then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called after events were stored, with the newest of them. */
  onStored?: ((sequence: number) => void) | undefined;
}

/** A running mirror. */
export interface Mirror extends AsyncDisposable {
  /**
   * Resolves when the session has ended or `stop` was called, with all events until then stored. Rejects if the mirror had
   * to give up: events were dropped before they were read, another writer took over, or the store failed.
   */
  readonly done: Promise<void>;
  /** Newest event that the store has. */
  readonly stored: number;
  /** Resolves once the store has an event, such as the end of a turn. Rejects if the mirror ends before. */
  until(sequence: number, options?: { signal?: AbortSignal }): Promise<void>;
  /** Stores what the session has now, for up to 5 s, and stops. Rejects as `done` does. */
  stop(): Promise<void>;
}

/** Events that are stored at once. */
const BATCH = 200;

/** Longest wait of `stop` for the last events, in milliseconds. */
const LAST_EVENTS_MS = 5_000;

/** The record is stored again after events of these types, which change more than the log. */
const CHANGES = new Set<UniversalEvent["type"]>([
  "started",
  "modeChanged",
  "infoChanged",
  "turnEnded",
  "continuity",
  "ended",
]);

/**
 * Copies the log of a session to a store: what is there already, then each event as it happens, at least once and without
 * gaps. A mirror that is started again, also by another process, continues after the last stored event.
 *
 * @example
 * await using mirroring = mirror(session, postgres(pool));
 */
export function mirror(session: Session, store: PersistDriver, options: MirrorOptions = {}): Mirror {
  return new SessionMirror(session, store, options);
}

interface Waiter {
  sequence: number;
  resolve(): void;
  reject(error: unknown): void;
}

class SessionMirror implements Mirror {
  readonly done: Promise<void>;
  readonly #session: Session;
  readonly #store: PersistDriver;
  readonly #onStored: ((sequence: number) => void) | undefined;
  readonly #waiters = new Set<Waiter>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #stored = 0;
  #end: { readonly error: unknown } | undefined;
  /** The connection broke, and no event has come since. */
  #interrupted = false;

  constructor(session: Session, store: PersistDriver, { signal, onStored }: MirrorOptions) {
    this.#session = session;
    this.#store = store;
    this.#onStored = onStored;
    this.#signal = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
    this.done = this.#run(signal);
    // Nobody has to look at a mirror, and its failure must not end the process.
    this.done.then(
      () => this.#settle(new MirrorStoppedError()),
      (error: unknown) => this.#settle(error),
    );
  }

  get stored(): number {
    return this.#stored;
  }

  async until(sequence: number, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    signal?.throwIfAborted();
    if (sequence <= this.#stored) return;
    if (this.#end !== undefined) throw this.#end.error;
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => settle(() => reject(signal?.reason));
      const settle = (how: () => void): void => {
        this.#waiters.delete(waiter);
        signal?.removeEventListener("abort", onAbort);
        how();
      };
      const waiter: Waiter = {
        sequence,
        resolve: () => settle(resolve),
        reject: (error) => settle(() => reject(error)),
      };
      this.#waiters.add(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  async stop(): Promise<void> {
    // Of a sandbox that is gone, there is nothing left to wait for.
    if (!this.#interrupted) await this.#catchUp().catch(() => undefined);
    this.#stop.abort(new MirrorStoppedError());
    await this.done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #catchUp(): Promise<void> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(LAST_EVENTS_MS)]);
    const { lastEventId } = await this.#session.refresh({ signal });
    await this.until(lastEventId, { signal });
  }

  async #run(caller: AbortSignal | undefined): Promise<void> {
    try {
      const record = await this.#claim();
      this.#advance(record.lastSequence);
      await this.#copy(record);
    } catch (error) {
      if (this.#stop.signal.aborted && !(caller?.aborted ?? false)) return;
      throw error;
    }
  }

  /** Creates the record, or checks that it belongs to this session. */
  async #claim(): Promise<SessionRecord> {
    const info = await this.#session.refresh({ signal: this.#signal });
    const head = await exportHead(this.#session, this.#signal);
    const { sessionId: id, agent, createdAt, updatedAt, cwd } = info;
    const fence = fenceOf(info.metadata);
    const fields = { id, agent, createdAt, updatedAt, cwd, metadata: {}, state: { head }, fence };
    const record = await ensureRecord(this.#store, fields);
    if (record.createdAt !== createdAt) throw new MirrorConflictError(id);
    // The session was restored in another sandbox, and this one is what is left of the old one.
    if (record.fence !== fence || record.lastSequence > info.lastEventId) throw new FencedError(id);
    return record;
  }

  async #copy({ id, fence, lastSequence }: SessionRecord): Promise<void> {
    const onGap = ({ oldest }: { oldest: number }): void => {
      // A log that begins late is complete as far as the daemon has it. A hole in the middle is not.
      if (this.#stored > 0) throw new MirrorGapError(id, this.#stored, oldest);
    };
    const onReconnect = (): void => {
      this.#interrupted = true;
    };
    const source = this.#session.events({ after: lastSequence, signal: this.#signal, onGap, onReconnect });
    const batches = new Batches(source, BATCH);
    await this.#describe(id, fence);
    for await (const batch of batches) {
      this.#interrupted = false;
      const record = await this.#store.append(id, batch.map(stored), { fence });
      if (batch.some(({ type }) => CHANGES.has(type))) await this.#describe(id, fence);
      this.#advance(record.lastSequence);
    }
  }

  /** Stores the current state of the session with its record. */
  async #describe(id: string, fence: number): Promise<void> {
    const head = await exportHead(this.#session, this.#signal);
    const info = await this.#session.refresh({ signal: this.#signal });
    await updateRecord(this.#store, id, (record) => {
      if (record.fence !== fence) throw new FencedError(id);
      const { title, metadata, updatedAt, state } = info;
      const { model, mode } = info.choices ?? {};
      return {
        ...record,
        metadata: withoutFence(metadata),
        updatedAt,
        ...(title === undefined ? {} : { title }),
        ...(model === undefined ? {} : { model }),
        ...(mode === undefined ? {} : { mode }),
        ...(state === "ended" ? { endedAt: record.endedAt ?? updatedAt } : {}),
        state: { ...record.state, head },
      };
    });
  }

  #advance(sequence: number): void {
    this.#stored = Math.max(this.#stored, sequence);
    for (const waiter of [...this.#waiters]) if (waiter.sequence <= this.#stored) waiter.resolve();
    try {
      this.#onStored?.(this.#stored);
    } catch {
      // A listener's exception must not stop the mirror.
    }
  }

  #settle(error: unknown): void {
    this.#end = { error };
    for (const waiter of [...this.#waiters]) waiter.reject(error);
  }
}

function stored(event: UniversalEvent): StoredEvent {
  return { sequence: event.id, createdAt: event.timestamp, data: event };
}

/** Groups events that are there at the same time, so that a burst takes few writes and a single event none longer. */
class Batches implements AsyncIterable<UniversalEvent[]> {
  readonly #source: AsyncIterableIterator<UniversalEvent>;
  readonly #limit: number;

  constructor(source: AsyncIterableIterator<UniversalEvent>, limit: number) {
    this.#source = source;
    this.#limit = limit;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<UniversalEvent[], void, undefined> {
    let next = this.#source.next();
    try {
      for (;;) {
        const first = await next;
        if (first.done === true) return;
        const batch = [first.value];
        next = this.#source.next();
        let more = await ready(next);
        while (more !== undefined && more.done !== true && batch.length < this.#limit) {
          batch.push(more.value);
          next = this.#source.next();
          more = await ready(next);
        }
        yield batch;
      }
    } finally {
      next.catch(() => undefined);
      await this.#source.return?.();
    }
  }
}

/** Returns what a promise resolves to at once; undefined if it has to be waited for. A failure is left to the next wait. */
async function ready<T>(promise: Promise<T>): Promise<T | undefined> {
  const later = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 0));
  return Promise.race([promise.catch(() => undefined), later]);
}
