// A signal that aborts a request on behalf of the caller or when its time is over, and says which it was.

import { TimeoutError } from "../errors/errors.ts";
import { connectionError } from "./failures.ts";

export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #timeoutMs: number;
  #expired = false;

  constructor(caller: AbortSignal | undefined, timeoutMs: number) {
    caller?.throwIfAborted();
    this.#caller = caller;
    this.#timeoutMs = timeoutMs;
    caller?.addEventListener("abort", this.#abort);
    this.startTimer();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the time limit, again if it was started before. */
  startTimer(): void {
    this.stopTimer();
    if (this.#timeoutMs > 0) this.#timer = setTimeout(this.#expire, this.#timeoutMs);
  }

  /** Ends the time limit. The caller's signal still aborts. */
  stopTimer(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the time limit and forgets the caller's signal. */
  release(): void {
    this.stopTimer();
    this.#caller?.removeEventListener("abort", this.#abort);
  }

  /** Returns the error to throw in place of the one that `fetch` threw. */
  explain(error: unknown, what: string): unknown {
    if (this.#caller?.aborted) return this.#caller.reason;
    if (this.#expired)
      return new TimeoutError(`${what} did not complete within ${this.#timeoutMs} ms`, { cause: error });
    return connectionError(error, what);
  }

  readonly #abort = (): void => this.#controller.abort(this.#caller?.reason);

  readonly #expire = (): void => {
    this.#expired = true;
    this.#controller.abort();
  };
}
