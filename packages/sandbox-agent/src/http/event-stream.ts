// Event streams of the daemon as iterators that reconnect by themselves.

import {
  isFatalStreamError,
  resumeEvents,
  type ServerSentEvent,
  StreamResponseError,
} from "acp-http-client/sse";
import { GapError, SandboxAgentError, TimeoutError, UnexpectedResponseError } from "../errors/errors.ts";
import { isProblem, problemError } from "../errors/problems.ts";
import type { Gap } from "../generated/openapi.gen.ts";
import { connectionError, isTransient } from "./failures.ts";
import { DEFAULT_RECONNECT, type Http, type QueryValue } from "./http.ts";

export interface StreamOptions {
  /** Ends the iteration with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called when events were missed. Without it, the iteration throws a `GapError`. */
  onGap?: ((gap: Gap) => void) | undefined;
  /** Called whenever the stream is connected, at first and again. */
  onConnect?: (() => void) | undefined;
  /** Called before each attempt to reconnect. */
  onReconnect?: ((cause: unknown, delayMs: number) => void) | undefined;
}

export interface Source extends StreamOptions {
  path: string;
  query?: Record<string, QueryValue> | undefined;
  /** Id of the event to continue after. */
  after?: number | undefined;
  /** Called before a connection is made; may throw to end the iteration. */
  beforeOpen?: (() => Promise<void>) | undefined;
}

/** Iterates over server-sent events. A broken connection is resumed after the last event that was received. */
function serverSentEvents(http: Http, source: Source): AsyncIterableIterator<ServerSentEvent> {
  return resumeEvents({
    open: async (lastEventId, signal) => {
      await source.beforeOpen?.();
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (lastEventId !== undefined) headers["Last-Event-ID"] = lastEventId;
      const call = { query: source.query, headers, signal, repeatable: false };
      const response = await http.response("GET", source.path, call);
      source.onConnect?.();
      return response;
    },
    ...(source.after === undefined ? {} : { lastEventId: String(source.after) }),
    ...(source.signal === undefined ? {} : { signal: source.signal }),
    ...(source.onReconnect === undefined ? {} : { onReconnect: source.onReconnect }),
    backoff: http.options.reconnect ?? DEFAULT_RECONNECT,
    isFatal,
  });
}

/** Errors of the runtime mean that the connection broke. Ours say whether another attempt may succeed. */
function isFatal(error: unknown): boolean {
  if (!(error instanceof SandboxAgentError)) return isFatalStreamError(error);
  return !(error instanceof TimeoutError) && !isTransient(error);
}

/** Throws for events that report a gap or a failure. Returns whether the event has been dealt with. */
export function isControl(event: ServerSentEvent, options: StreamOptions): boolean {
  if (event.event === "gap") {
    const gap = JSON.parse(event.data) as Gap;
    if (options.onGap === undefined) throw new GapError(gap);
    options.onGap(gap);
    return true;
  }
  if (event.event === "failure") {
    const problem: unknown = JSON.parse(event.data);
    if (isProblem(problem)) throw problemError(problem);
    return true;
  }
  return false;
}

/** How server-sent events become the items of an iterator. */
export interface Projection<T> {
  /** Returns the item of an event, if it has one. `end` ends the iteration after that item. May throw. */
  item(event: ServerSentEvent, end: () => void): T | undefined;
  /** Handles a failure of the stream: throws, or returns to end the iteration. */
  onError?(error: unknown): void;
}

/** Iterates over the items of a stream. The request ends with the iteration, also if that fails. */
export function streamItems<T>(
  http: Http,
  origin: Source,
  projection: Projection<T>,
): AsyncIterableIterator<T> {
  const { item, onError } = projection;
  const source = serverSentEvents(http, origin);
  const end = (): void => void source.return?.();
  const fail = (error: unknown): IteratorReturnResult<undefined> => {
    end();
    if (onError === undefined) throw error;
    onError(error);
    return { done: true, value: undefined };
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      // Errors of the stream become ours; those of `item`, which may be the caller's, stay as they are.
      let isReading = true;
      try {
        for (;;) {
          isReading = true;
          const step = await source.next();
          isReading = false;
          if (step.done === true) return { done: true, value: undefined };
          const value = item(step.value, end);
          if (value !== undefined) return { done: false, value };
        }
      } catch (error) {
        return fail(isReading ? streamError(error, origin) : error);
      }
    },
    async return() {
      end();
      return { done: true, value: undefined };
    },
  };
}

function streamError(error: unknown, { path, signal }: Source): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof StreamResponseError)
    return new UnexpectedResponseError(error.message, error.status, error.body.slice(0, 500));
  return connectionError(error, `GET ${path}`);
}
