// Listeners of a client. One that throws neither stops the others nor the host.

export type Listener<T> = (event: T) => unknown;

export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();

  /** Adds a listener. Returns a function that removes it. */
  on<K extends keyof Events>(name: K, listener: Listener<Events[K]>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  has(name: keyof Events): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  /** Calls the listeners. Their exceptions and rejections go to `onError`. */
  emit<K extends keyof Events>(name: K, event: Events[K], onError: (error: unknown) => void = ignore): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])] as Listener<Events[K]>[]) {
      try {
        const result = listener(event);
        if (result instanceof Promise) result.catch(onError);
      } catch (error) {
        onError(error);
      }
    }
  }
}

function ignore(): void {}
