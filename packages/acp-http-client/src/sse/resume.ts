// A stream of server-sent events that reconnects after the last event it has seen.

import { Backoff, type BackoffOptions, sleep } from "./backoff.ts";
import { EventDecoder, type ServerSentEvent } from "./decoder.ts";
import { EventTooLargeError, IdleTimeoutError, StreamEndedError, StreamResponseError } from "./errors.ts";
import { IdleWatch } from "./idle-watch.ts";
import { PullIterator, type PullSource } from "./pull-iterator.ts";
import { readStart } from "./read-start.ts";
import { untilAborted } from "./until-aborted.ts";

export interface ResumeOptions {
  /** Sends the request. Pass the id as `Last-Event-ID` and the signal to `fetch`. */
  open(lastEventId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Event to resume after. */
  lastEventId?: string;
  /** Ends the iteration: `next()` rejects with its reason. */
  signal?: AbortSignal;
  /**
   * Delays between attempts. `attempts` counts failures in a row: an event, or a connection that lasted `maxMs`, starts
   * the count again.
   */
  backoff?: BackoffOptions;
  /**
   * Reconnects after this many milliseconds without a byte, 45,000 by default. The time runs only while the consumer
   * waits for an event. 0 turns this off.
   */
  idleMs?: number;
  /** Decides which failures end the iteration. Replaces `isFatalStreamError`. */
  isFatal?(error: unknown): boolean;
  /** Called before each wait for a reconnection. */
  onReconnect?(cause: unknown, delayMs: number): void;
  /** Longest event, 128 MiB by default. A longer one ends the iteration with an `EventTooLargeError`. */
  maxEventBytes?: number;
}

/**
 * Iterates over the events of a stream and reconnects with the last id whenever it breaks. It ends when the consumer leaves,
 * when the server answers 204, or with a fatal error. Leaving ends a pending read at once.
 *
 * Reads only while the consumer waits: a slow consumer slows the server down instead of filling memory.
 *
 * @example
 * ```ts
 * const events = resumeEvents({
 *   open: (lastEventId, signal) =>
 *     fetch(url, { signal, headers: lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId } }),
 * });
 * for await (const event of events) console.log(event.id, event.data);
 * ```
 */
export function resumeEvents(options: ResumeOptions): AsyncGenerator<ServerSentEvent, undefined, undefined> {
  return new PullIterator(new ResumedStream(options), options.signal);
}

/**
 * Returns whether a failure would repeat itself: an oversized event, a response that is no event stream, a 4xx status other
 * than 408, 425 and 429, a malformed URL, or an exception that only a bug raises.
 */
export function isFatalStreamError(error: unknown): boolean {
  if (error instanceof EventTooLargeError) return true;
  if (error instanceof StreamResponseError) {
    const { status } = error;
    if (status < 400) return true;
    return status < 500 && status !== 408 && status !== 425 && status !== 429;
  }
  if (error instanceof SyntaxError || error instanceof RangeError || error instanceof ReferenceError)
    return true;
  if (!(error instanceof TypeError)) return false;
  const { cause } = error;
  return hasCode(error, "ERR_INVALID_URL") || hasCode(cause, "ERR_INVALID_URL");
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === code;
}

interface Connection {
  readonly decoder: EventDecoder;
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
}

class ResumedStream implements PullSource<ServerSentEvent> {
  readonly #options: ResumeOptions;
  readonly #backoff: Backoff;
  readonly #idle: IdleWatch;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  /** Aborts the current request, read or wait. */
  #attempt = new AbortController();
  #connection: Connection | undefined;
  #openedAt = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(options: ResumeOptions) {
    const idleMs = options.idleMs ?? 45_000;
    this.#options = options;
    this.#backoff = new Backoff(options.backoff);
    this.#idle = new IdleWatch(idleMs, () => this.#disconnect(new IdleTimeoutError(idleMs)));
    this.#lastEventId = options.lastEventId === "" ? undefined : options.lastEventId;
  }

  async pull(): Promise<readonly ServerSentEvent[] | undefined> {
    while (!this.#stopped) {
      try {
        this.#connection ??= await this.#connect();
        if (this.#connection === undefined) return undefined;
        return await this.#read(this.#connection);
      } catch (error) {
        await this.#recover(error);
      }
    }
    return undefined;
  }

  stop(): void {
    this.#stopped = true;
    this.#disconnect(undefined);
  }

  /** Returns `undefined` if the server answers that there is nothing to stream. */
  async #connect(): Promise<Connection | undefined> {
    this.#attempt = new AbortController();
    const { signal } = this.#attempt;
    this.#idle.begin();
    const opening = this.#options.open(this.#lastEventId, signal);
    // A response that arrives too late would hold its connection.
    opening.then((response) => signal.aborted && discard(response)).catch(() => undefined);
    const response = await untilAborted(opening, signal);
    if (response.status === 204) return undefined;
    if (!response.ok || !isEventStream(response)) {
      // The status says more than a failure to read the rest.
      const start = readStart(response).catch(() => "");
      throw new StreamResponseError(response, await untilAborted(start, signal));
    }
    if (response.body === null) throw new StreamEndedError();
    this.#openedAt = performance.now();
    const decoder = new EventDecoder(this.#lastEventId, this.#options.maxEventBytes);
    return { decoder, reader: response.body.getReader() };
  }

  async #read({ decoder, reader }: Connection): Promise<ServerSentEvent[]> {
    const { signal } = this.#attempt;
    for (;;) {
      this.#idle.begin();
      const { done, value } = await reader.read();
      this.#idle.end();
      if (signal.aborted) throw signal.reason;
      if (done) throw new StreamEndedError();
      const events = decoder.push(value);
      this.#lastEventId = decoder.lastEventId;
      this.#retryMs = decoder.retryMs ?? this.#retryMs;
      if (events.length === 0) continue;
      this.#backoff.reset();
      return events;
    }
  }

  /** Waits before the next attempt. Throws if there is none. */
  async #recover(error: unknown): Promise<void> {
    if (this.#stopped) return;
    if (performance.now() - this.#openedAt >= this.#backoff.maxMs) this.#backoff.reset();
    this.#openedAt = Number.POSITIVE_INFINITY;
    this.#disconnect(error);
    if ((this.#options.isFatal ?? isFatalStreamError)(error)) throw error;
    const delay = this.#backoff.next(requestedDelay(error) ?? this.#retryMs);
    if (delay === undefined) throw error;
    this.#options.onReconnect?.(error, delay);
    if (this.#stopped) return;
    this.#attempt = new AbortController();
    await sleep(delay, this.#attempt.signal).catch(() => undefined);
  }

  /** Ends the request, read or wait. A pending read settles at once. */
  #disconnect(cause: unknown): void {
    this.#idle.stop();
    this.#connection?.reader.cancel(cause).catch(() => undefined);
    this.#connection = undefined;
    this.#attempt.abort(cause);
  }
}

function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined);
}

function isEventStream(response: Response): boolean {
  return /^text\/event-stream\s*(;|$)/i.test(response.headers.get("Content-Type") ?? "");
}

/** Wait that the server asked for, if the error carries one. */
function requestedDelay(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("retryAfterMs" in error)) return undefined;
  return typeof error.retryAfterMs === "number" ? error.retryAfterMs : undefined;
}
