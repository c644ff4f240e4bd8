// Collects what arrives between two frames, so that a view renders once for all of it.

/** Calls a function soon, once, and returns a function that prevents it. */
export type Schedule = (callback: () => void) => () => void;

/** Longest wait in milliseconds: a browser draws no frames for a tab that is hidden. */
const LONGEST_MS = 100;

/** Length of a frame in milliseconds where nothing is drawn, such as in Node.js. */
const FRAME_MS = 16;

/** Most values that are collected. */
const MAX_PENDING = 2_000;

/** Calls back before the next frame is drawn; after 16 ms where there are no frames. */
export const nextFrame: Schedule = (callback) => {
  if (typeof requestAnimationFrame !== "function") {
    const timer = setTimeout(callback, FRAME_MS);
    return () => clearTimeout(timer);
  }
  const cancel = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const run = (): void => {
    cancel();
    callback();
  };
  const frame = requestAnimationFrame(run);
  const timer = setTimeout(run, LONGEST_MS);
  return cancel;
};

/** Passes values on in batches, in order. */
export class Batch<T> {
  readonly #schedule: Schedule;
  readonly #apply: (values: readonly T[]) => void;
  #pending: T[] = [];
  #cancel: (() => void) | undefined;

  constructor(schedule: Schedule, apply: (values: readonly T[]) => void) {
    this.#schedule = schedule;
    this.#apply = apply;
  }

  add(value: T): void {
    this.#pending.push(value);
    if (this.#pending.length >= MAX_PENDING) this.flush();
    else this.#cancel ??= this.#schedule(() => this.flush());
  }

  /** Passes on what is pending. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#pending.length === 0) return;
    this.#apply(this.#pending.splice(0));
  }

  /** Forgets what is pending. */
  drop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#pending = [];
  }
}
