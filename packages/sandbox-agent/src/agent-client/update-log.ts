// Stores the updates of sessions in the order in which they came, without holding the connection up.

import type { PersistDriver } from "../persist/driver.ts";
import { EventConflictError, SequenceGapError } from "../persist/errors.ts";

interface Entry {
  createdAt: string;
  data: unknown;
}

/** Updates of one session that may wait for a slow store. Then the oldest are dropped, and reported. */
const MAX_WAITING = 10_000;
const BATCH = 200;
const ATTEMPTS = 20;

export class UpdateLog {
  readonly #store: PersistDriver;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Map<string, Entry[]>();
  readonly #writers = new Map<string, Promise<void>>();

  constructor(store: PersistDriver, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  add(sessionId: string, data: unknown): void {
    const waiting = this.#waiting.get(sessionId) ?? [];
    this.#waiting.set(sessionId, waiting);
    waiting.push({ createdAt: new Date().toISOString(), data });
    if (waiting.length > MAX_WAITING) {
      waiting.shift();
      this.#onError(
        new RangeError(`the store is too slow: an update of session '${sessionId}' was not stored`),
      );
    }
    if (!this.#writers.has(sessionId)) {
      this.#writers.set(sessionId, this.#write(sessionId));
    }
  }

  /** Resolves once everything is stored, or has failed to be. */
  async flush(): Promise<void> {
    while (this.#writers.size > 0) await Promise.all(this.#writers.values());
  }

  async #write(sessionId: string): Promise<void> {
    for (;;) {
      const batch = this.#waiting.get(sessionId)?.splice(0, BATCH) ?? [];
      if (batch.length === 0) break;
      try {
        await this.#append(sessionId, batch);
      } catch (error) {
        this.#onError(error);
      }
    }
    // At once: an update that comes later needs a writer of its own.
    this.#waiting.delete(sessionId);
    this.#writers.delete(sessionId);
  }

  /** Other clients may store updates of the same session, so the place in the log is found again if it was taken. */
  async #append(sessionId: string, batch: readonly Entry[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const record = await this.#store.get(sessionId);
      if (record === undefined) return;
      const first = record.lastSequence + 1;
      const events = batch.map((entry, index) => ({ sequence: first + index, ...entry }));
      try {
        await this.#store.append(sessionId, events);
        return;
      } catch (error) {
        const taken = error instanceof EventConflictError || error instanceof SequenceGapError;
        if (!taken || attempt === ATTEMPTS) throw error;
      }
    }
  }
}
