// The event log of a session as an iterator.

import { SandboxAgentError } from "../errors/errors.ts";
import type { EventType, Session as SessionInfo, UniversalEvent } from "../generated/openapi.gen.ts";
import { isControl, type StreamOptions, streamItems } from "../http/event-stream.ts";
import type { Http, QueryValue } from "../http/http.ts";

/** Which events to read. */
export interface EventSelection {
  /** Event types to return; all by default. */
  types?: readonly EventType[] | undefined;
  /** `false` leaves out `messageDelta`, so that only whole messages are returned. */
  deltas?: boolean | undefined;
}

/** Options of `session.events`. */
export interface EventOptions extends EventSelection, StreamOptions {
  /** Id of the event to continue after; 0, the beginning, by default. */
  after?: number | undefined;
}

/** Query of a page of events. */
export interface EventPageQuery extends EventSelection {
  /** Id of the event to continue after. */
  after?: number;
  /** Events per page. */
  limit?: number;
}

/** Thrown by a stream that was opened again although the session has ended. */
class Complete extends SandboxAgentError {}

/** Returns the query parameters of a selection. */
export function selection({ types, deltas }: EventSelection): Record<string, QueryValue> {
  return { types: types?.join(","), deltas };
}

/** Iterates over the events of a session. */
export function events(http: Http, id: string, options: EventOptions): AsyncIterableIterator<UniversalEvent> {
  const path = `/v1/sessions/${encodeURIComponent(id)}`;
  // The end of the log is known by `ended`, so it is read even if the caller did not ask for it.
  const types =
    options.types === undefined || options.types.includes("ended")
      ? options.types
      : [...options.types, "ended" as const];
  const wanted = new Set<string>(options.types);
  let last = options.after ?? 0;
  let idle = 0;

  // The daemon closes the stream of a session that has ended. A reader that starts behind `ended` never sees it.
  const beforeOpen = async (): Promise<void> => {
    idle += 1;
    if (idle < 2) return;
    const info = await http.json<SessionInfo>("GET", path, { signal: options.signal, repeatable: false });
    if (info.state === "ended" && info.lastEventId <= last) throw new Complete();
  };

  const source = {
    ...options,
    path: `${path}/events/sse`,
    query: selection({ ...options, types }),
    after: last,
    beforeOpen,
  };
  return streamItems(http, source, {
    item(message, end) {
      if (isControl(message, options)) return undefined;
      const event = JSON.parse(message.data) as UniversalEvent;
      idle = 0;
      last = event.id;
      if (event.type === "ended") end();
      return options.types === undefined || wanted.has(event.type) ? event : undefined;
    },
    onError(error) {
      if (!(error instanceof Complete)) throw error;
    },
  });
}
