// An async iterator over batches that are pulled on demand. Unlike an async generator, `return()` ends a pending `next()`.

/** Where a `PullIterator` gets its items from. */
export interface PullSource<T> {
  /** Returns the next items, none to be asked again, or `undefined` at the end. Never called twice at once. */
  pull(): Promise<readonly T[] | undefined>;
  /** Releases everything. Called once; a pending `pull` may then settle in any way. */
  stop(): void;
}

interface Waiter<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

type State = { kind: "open"; pulling: boolean } | { kind: "failed"; error: unknown } | { kind: "done" };

/** Iterates over a source. Pulls only while the consumer waits, so back-pressure reaches the source. */
export class PullIterator<T extends object> implements AsyncGenerator<T, undefined, undefined> {
  readonly #source: PullSource<T>;
  readonly #signal: AbortSignal | undefined;
  #state: State = { kind: "open", pulling: false };
  #batch: readonly T[] = [];
  #position = 0;
  #waiters: Waiter<T>[] = [];
  #listening = false;

  constructor(source: PullSource<T>, signal?: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (!this.#listening) this.#listen();
    if (this.#state.kind === "done") return Promise.resolve({ done: true, value: undefined });
    if (this.#state.kind === "failed") {
      const { error } = this.#state;
      this.#state = { kind: "done" };
      return Promise.reject(error);
    }
    const value = this.#batch[this.#position];
    if (value !== undefined) {
      this.#position += 1;
      return Promise.resolve({ done: false, value });
    }
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#pull();
    });
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.#finish();
    return Promise.resolve({ done: true, value: undefined });
  }

  throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    this.#finish();
    return Promise.reject(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#finish();
  }

  /** Waits for the signal from the first `next()` on: an iterator that is never used holds nothing. */
  #listen(): void {
    this.#listening = true;
    if (this.#state.kind !== "open" || this.#signal === undefined) return;
    if (this.#signal.aborted) this.#fail(this.#signal.reason);
    else this.#signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => this.#fail(this.#signal?.reason);

  #pull(): void {
    if (this.#state.kind !== "open" || this.#state.pulling) return;
    const state = this.#state;
    state.pulling = true;
    this.#source.pull().then(
      (batch) => {
        state.pulling = false;
        if (this.#state !== state) return;
        if (batch === undefined) this.#finish();
        else this.#deliver(batch);
      },
      (error: unknown) => {
        if (this.#state === state) this.#fail(error);
      },
    );
  }

  #deliver(batch: readonly T[]): void {
    this.#batch = batch;
    this.#position = 0;
    while (this.#waiters.length > 0) {
      const value = batch[this.#position];
      if (value === undefined) {
        this.#pull();
        return;
      }
      this.#position += 1;
      this.#waiters.shift()?.resolve({ done: false, value });
    }
  }

  #finish(): void {
    if (this.#state.kind === "open") this.#release();
    this.#state = { kind: "done" };
    for (const waiter of this.#waiters.splice(0)) waiter.resolve({ done: true, value: undefined });
  }

  #fail(error: unknown): void {
    if (this.#state.kind !== "open") return;
    this.#release();
    const [first, ...rest] = this.#waiters.splice(0);
    this.#state = first === undefined ? { kind: "failed", error } : { kind: "done" };
    first?.reject(error);
    for (const waiter of rest) waiter.resolve({ done: true, value: undefined });
  }

  #release(): void {
    this.#batch = [];
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#source.stop();
  }
}
