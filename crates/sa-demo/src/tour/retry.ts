import { setTimeout as sleep } from "node:timers/promises";

export interface RetryOptions {
  attempts: number;
  baseMs: number;
}

/** Returns how long to wait after a failed attempt. */
export function delayOf(attempt: number, { baseMs }: RetryOptions): number {
  return baseMs * attempt;
}

export async function withRetry<T>(run: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === options.attempts) throw error;
      await sleep(delayOf(attempt, options));
    }
  }
}
