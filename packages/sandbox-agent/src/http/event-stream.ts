// Event streams of the daemon as iterators that reconnect by themselves.

import {
  type BackoffOptions,
  isFatalStreamError,
  resumeEvents,
  type ServerSentEvent,
} from "acp-http-client/sse";
import { GapError, SandboxAgentError, TimeoutError } from "../errors/errors.ts";
import { isProblem, problemError } from "../errors/problems.ts";
import type { Gap } from "../generated/openapi.gen.ts";
import { isTransient } from "./failures.ts";
import type { Http, QueryValue } from "./http.ts";

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

const DEFAULT_RECONNECT: BackoffOptions = { initialMs: 200, maxMs: 10_000, attempts: 40 };

/** Iterates over server-sent events. A broken connection is resumed after the last event that was received. */
export function serverSentEvents(http: Http, source: Source): AsyncIterableIterator<ServerSentEvent> {
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
