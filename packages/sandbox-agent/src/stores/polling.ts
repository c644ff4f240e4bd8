// Reads something again and again, one request at a time.

import { sleep } from "acp-http-client/sse";

export class Polling {
  readonly #intervalMs: number;
  readonly #read: (signal: AbortSignal) => Promise<void>;
  #running: { signal: AbortSignal; wake: AbortController } | undefined;
  #current: { signal: AbortSignal; done: Promise<void> } | undefined;

  /** `read` must not reject. An interval of 0 ms reads once and whenever `refresh` is called. */
  constructor(intervalMs: number, read: (signal: AbortSignal) => Promise<void>) {
    this.#intervalMs = intervalMs;
    this.#read = read;
  }

  /** Reads now. A request that runs may have begun before a change, so another one follows it. */
  async refresh(): Promise<void> {
    const signal = this.#running?.signal;
    if (signal === undefined || signal.aborted) return;
    await this.#current?.done;
    if (signal.aborted) return;
    this.#running?.wake.abort();
    await this.#once(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const wake = new AbortController();
      this.#running = { signal, wake };
      await this.#once(signal);
      const pause = this.#intervalMs === 0 ? 2 ** 31 - 1 : this.#intervalMs;
      await sleep(pause, AbortSignal.any([signal, wake.signal])).catch(() => {});
    }
  }

  #once(signal: AbortSignal): Promise<void> {
    // A request of an earlier run was aborted, and its result is not one for this run.
    if (this.#current?.signal === signal) return this.#current.done;
    const done = this.#read(signal).finally(() => {
      if (this.#current?.done === done) this.#current = undefined;
    });
    this.#current = { signal, done };
    return done;
  }
}
