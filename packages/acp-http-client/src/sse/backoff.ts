// Delays between attempts: exponential with full jitter.

/** How often and how soon a failed attempt is repeated. */
export interface BackoffOptions {
  /** Upper bound of the first delay in milliseconds, 200 by default. It doubles with each attempt. */
  initialMs?: number;
  /** Upper bound of every delay in milliseconds, 10,000 by default. */
  maxMs?: number;
  /** Attempts in a row, unlimited by default. 0 means that a failure is final. */
  attempts?: number;
}

/** Longest wait that a server may ask for, in milliseconds. */
const MAX_RETRY_AFTER_MS = 300_000;

/** Longest time that `setTimeout` takes. */
const MAX_TIMER_MS = 2_147_483_647;

/** Computes the delays between attempts. Each is random between 0 and a bound that doubles. */
export class Backoff {
  readonly maxMs: number;
  readonly #initialMs: number;
  readonly #attempts: number;
  readonly #random: () => number;
  #failures = 0;

  constructor(options: BackoffOptions = {}, random: () => number = Math.random) {
    this.#initialMs = options.initialMs ?? 200;
    this.maxMs = options.maxMs ?? 10_000;
    this.#attempts = options.attempts ?? Number.POSITIVE_INFINITY;
    this.#random = random;
  }

  /**
   * Returns the delay before the next attempt in milliseconds, or `undefined` if none is left.
   *
   * @param retryAfterMs Wait that the server asked for. The delay is added to it; at most 5 minutes of it count.
   */
  next(retryAfterMs = 0): number | undefined {
    if (this.#failures >= this.#attempts) return undefined;
    const bound = Math.min(this.maxMs, this.#initialMs * 2 ** Math.min(this.#failures, 52));
    this.#failures += 1;
    return Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) + this.#random() * bound;
  }

  /** Starts again with the first delay and all attempts. */
  reset(): void {
    this.#failures = 0;
  }
}

/** Resolves after `ms` milliseconds. Rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
