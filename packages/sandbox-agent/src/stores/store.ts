// The base of all stores: a value that is followed while somebody subscribes.

/** A value that changes over time. Has the shape that `useSyncExternalStore` of React takes. */
export interface Store<T> {
  /** Returns the current value. It is immutable, and the same object until something changes. */
  getSnapshot(): T;
  /** Calls the listener after each change. The first subscription starts requests; the end of the last one ends them. */
  subscribe(listener: () => void): () => void;
  /** The value before anything was read, which is what a server renders. */
  readonly initial: T;
}

/** Notified when a store becomes used or unused. */
export interface StoreUse {
  onUse(): void;
  onDisuse(): void;
}

export abstract class BaseStore<T> implements Store<T> {
  readonly initial: T;
  #snapshot: T;
  readonly #listeners = new Set<{ notify: () => void }>();
  #run: AbortController | undefined;
  #use: StoreUse | undefined;

  constructor(initial: T) {
    this.initial = initial;
    this.#snapshot = initial;
  }

  /** Follows the value until the signal aborts. Must not reject. */
  protected abstract run(signal: AbortSignal): Promise<void>;

  readonly getSnapshot = (): T => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    const entry = { notify: listener };
    this.#listeners.add(entry);
    this.#start();
    return () => {
      if (this.#listeners.delete(entry) && !this.isUsed) this.#stopSoon();
    };
  };

  get isUsed(): boolean {
    return this.#listeners.size > 0;
  }

  /** @internal */
  watchUse(use: StoreUse): void {
    this.#use = use;
  }

  /** Replaces members of the value and notifies the listeners. */
  protected update(change: Partial<T>): void {
    const keys = Object.keys(change) as (keyof T)[];
    if (keys.every((key) => Object.is(this.#snapshot[key], change[key]))) return;
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const { notify } of [...this.#listeners]) notify();
  }

  /** Follows the value again from the start, if it is followed at all. */
  protected restart(): void {
    if (this.#run === undefined) return;
    this.#run.abort();
    this.#run = undefined;
    this.#start();
  }

  #start(): void {
    if (this.#run !== undefined) return;
    const run = new AbortController();
    this.#run = run;
    this.#use?.onUse();
    void this.run(run.signal);
  }

  /** React subscribes, unsubscribes and subscribes again within one commit. That must not make two requests. */
  #stopSoon(): void {
    setTimeout(() => {
      if (this.isUsed || this.#run === undefined) return;
      this.#run.abort();
      this.#run = undefined;
      this.#use?.onDisuse();
    }, 0);
  }
}

/** The state of a value that is read from the daemon. A value that was read stays while it is read again. */
export type Loading =
  | { readonly state: "loading" }
  | { readonly state: "ready" }
  | { readonly state: "failed"; readonly error: unknown };

export const LOADING: Loading = { state: "loading" };
export const READY: Loading = { state: "ready" };

/** Returns the promise. A caller that ignores it, such as an event handler, causes no unhandled rejection. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
