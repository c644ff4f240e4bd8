// Waits until a daemon answers health checks.

import { TimeLimit } from "./time-limit.ts";

/** Time between two attempts in milliseconds: doubled from the first to the last. */
const FIRST_PAUSE_MS = 20;
const LAST_PAUSE_MS = 1_000;
/** Longest time for a single attempt in milliseconds. */
const ATTEMPT_MS = 5_000;

export interface HealthOptions {
  headers?: Record<string, string> | undefined;
  fetch?: typeof fetch | undefined;
}

/**
 * Resolves when the daemon at `baseUrl` is healthy.
 *
 * @throws The signal's reason, or the last failed attempt as its `cause`, when the signal is aborted.
 */
export async function waitForHealth(
  baseUrl: string,
  signal: AbortSignal,
  options: HealthOptions = {},
): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    const problem = await checkHealth(baseUrl, signal, options);
    if (problem === undefined) return;
    await sleep(pause, signal, problem);
    pause = Math.min(pause * 2, LAST_PAUSE_MS);
  }
}

/** Asks once. Returns the problem, or nothing if the daemon is healthy. */
export async function checkHealth(
  baseUrl: string,
  signal: AbortSignal,
  options: HealthOptions = {},
): Promise<string | undefined> {
  const url = `${baseUrl.replace(/\/+$/, "")}/v1/health`;
  const request = options.fetch ?? fetch;
  const limit = new TimeLimit(ATTEMPT_MS, signal);
  try {
    const response = await request(url, {
      headers: options.headers ?? {},
      redirect: "manual",
      signal: limit.signal,
    });
    const text = await response.text();
    if (response.ok && isHealthy(text)) return undefined;
    return `GET ${url} answered ${response.status}: ${text.slice(0, 200)}`;
  } catch (error) {
    return `GET ${url} failed: ${describe(error)}`;
  } finally {
    limit.release();
  }
}

/** A gateway may answer 200 with a page of its own. */
function isHealthy(text: string): boolean {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && "status" in body && body.status === "ok";
  } catch {
    return false;
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function sleep(ms: number, signal: AbortSignal, problem: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(new Error(problem, { cause: signal.reason }));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
