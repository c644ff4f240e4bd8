// Changes of files as an iterator.

import { NotFoundError } from "../errors/problems.ts";
import type { FsChange, FsOverflow, FsWatchReady } from "../generated/openapi.gen.ts";
import { isControl, type StreamOptions, streamItems } from "../http/event-stream.ts";
import type { Http, QueryValue } from "../http/http.ts";

/** Options of `fs.watch`. */
export interface WatchOptions extends Pick<StreamOptions, "signal" | "onReconnect"> {
  /** Watches what is below the directory as well, true by default. */
  recursive?: boolean | undefined;
  /** Watches `.git` and what ignore files exclude as well, false by default. */
  ignored?: boolean | undefined;
}

/**
 * Something that a watch reports: `ready` once, as soon as changes are seen; `change` for each changed path; `overflow`
 * where changes may be missing, so that the files have to be looked at again.
 */
export type WatchEvent =
  | ({ type: "ready" } & FsWatchReady)
  | ({ type: "change" } & FsChange)
  | ({ type: "overflow" } & FsOverflow);

/** Iterates over changes. A watch has no log, so changes while the connection was lost become an `overflow`. */
export function watch(
  http: Http,
  path: QueryValue,
  { recursive, ignored, ...options }: WatchOptions,
): AsyncIterableIterator<WatchEvent> {
  let isReady = false;
  const source = { ...options, path: "/v1/fs/watch", query: { path, recursive, ignored } };
  return streamItems<WatchEvent>(http, source, {
    item(event) {
      if (isControl(event, options)) return undefined;
      const data: unknown = JSON.parse(event.data);
      switch (event.event) {
        case "ready": {
          const ready = data as FsWatchReady;
          if (isReady) return { type: "overflow", path: ready.path, reason: "the connection was lost" };
          isReady = true;
          return { type: "ready", ...ready };
        }
        case "change":
          return { type: "change", ...(data as FsChange) };
        case "overflow":
          return { type: "overflow", ...(data as FsOverflow) };
        default:
          return undefined;
      }
    },
    // The daemon ends a watch when what it watches is gone.
    onError(error) {
      if (!isReady || !(error instanceof NotFoundError)) throw error;
    },
  });
}
