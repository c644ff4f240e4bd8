// A signal that is aborted when time is over or when one of several other signals is.

export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #sources: readonly (AbortSignal | undefined)[];
  readonly #timer: ReturnType<typeof setTimeout>;

  // Not `AbortSignal.any` with `AbortSignal.timeout`: some versions of Node collect the timeout as garbage.
  constructor(ms: number, ...sources: (AbortSignal | undefined)[]) {
    this.#sources = sources;
    this.#timer = setTimeout(() => this.abort(new Error(`not done within ${ms} ms`)), ms);
    for (const source of sources) {
      if (source?.aborted) this.abort(source.reason);
      source?.addEventListener("abort", this.#onAbort);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.release();
    this.#controller.abort(reason);
  }

  /** Ends the limit. The signal is not aborted any more. */
  release(): void {
    clearTimeout(this.#timer);
    for (const source of this.#sources) source?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (event: Event): void => {
    const { target } = event;
    this.abort(target instanceof AbortSignal ? target.reason : undefined);
  };
}
