// Output that waits for a reader of a terminal.

/** Most output that waits for a reader, in bytes. More of it drops the oldest. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** How output ends. */
export type QueueEnd = { kind: "done" } | { kind: "failed"; error: unknown };

type Result<T> = IteratorResult<T, undefined>;

/** A bounded queue between a terminal and one reader. */
export class OutputQueue<T extends Uint8Array> implements AsyncIterableIterator<T> {
  readonly #onDrop: () => void;
  readonly #onLeave: (queue: OutputQueue<T>) => void;
  #chunks: T[] = [];
  #bytes = 0;
  #readers: { resolve(result: Result<T>): void; reject(error: unknown): void }[] = [];
  #end: QueueEnd | { kind: "open" } = { kind: "open" };

  constructor(onDrop: () => void, onLeave: (queue: OutputQueue<T>) => void) {
    this.#onDrop = onDrop;
    this.#onLeave = onLeave;
  }

  push(chunk: T): void {
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: chunk });
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= MAX_WAITING_BYTES) return;
    while (this.#bytes > MAX_WAITING_BYTES) this.#bytes -= this.#chunks.shift()?.length ?? 0;
    this.#onDrop();
  }

  /** Takes everything that waits. */
  drain(): T[] {
    this.#bytes = 0;
    return this.#chunks.splice(0);
  }

  close(end: QueueEnd): void {
    this.#end = end;
    for (const reader of this.#readers.splice(0)) {
      if (end.kind === "failed") reader.reject(end.error);
      else reader.resolve({ done: true, value: undefined });
    }
  }

  next(): Promise<Result<T>> {
    const value = this.#chunks.shift();
    if (value !== undefined) {
      this.#bytes -= value.length;
      return Promise.resolve({ done: false, value });
    }
    const end = this.#end;
    if (end.kind === "open") return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
    this.#end = { kind: "done" };
    return end.kind === "failed"
      ? Promise.reject(end.error)
      : Promise.resolve({ done: true, value: undefined });
  }

  return(): Promise<Result<T>> {
    this.drain();
    this.close({ kind: "done" });
    this.#onLeave(this);
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
