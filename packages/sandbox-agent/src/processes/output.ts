// Output of processes: entries of a log, decoded.

import type {
  ProcessExit,
  ProcessLogEntry,
  ProcessLogGap,
  ProcessLogsResponse,
  ProcessLogsStream,
} from "../generated/openapi.gen.ts";
import { isControl, type StreamOptions, streamItems } from "../http/event-stream.ts";
import type { Http } from "../http/http.ts";

/** A piece of output, as the process wrote it. */
export class ProcessOutput {
  /** Number of the entry in the log. */
  readonly sequence: number;
  readonly stream: ProcessLogsStream;
  /** Time at which the daemon read the output. */
  readonly timestamp: string;
  readonly #data: string;
  readonly #isText: boolean;

  /** @internal */
  constructor({ sequence, stream, timestamp, data, encoding }: ProcessLogEntry) {
    this.sequence = sequence;
    this.stream = stream;
    this.timestamp = timestamp;
    this.#data = data;
    this.#isText = encoding !== "base64";
  }

  /** The output as text. Bytes that are not UTF-8 are replaced. */
  get text(): string {
    return this.#isText ? this.#data : new TextDecoder().decode(this.bytes);
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#isText) return new TextEncoder().encode(this.#data);
    return Uint8Array.from(atob(this.#data), (character) => character.charCodeAt(0));
  }
}

/** A page of a log. */
export interface ProcessLogPage {
  entries: ProcessOutput[];
  /** Output that was dropped before the first entry, if any. */
  gap?: ProcessLogGap;
  /** True if there are newer entries. Continue with the last `sequence` as `after`. */
  hasMore: boolean;
}

export function logPage({ entries, gap, hasMore }: ProcessLogsResponse): ProcessLogPage {
  const page = { entries: entries.map((entry) => new ProcessOutput(entry)), hasMore };
  return gap === undefined ? page : { ...page, gap };
}

/** Options of `processes.follow`. */
export interface FollowOptions extends StreamOptions {
  /** Output to read; all of it by default. */
  stream?: ProcessLogsStream | undefined;
  /** Starts with the last entries of this number. */
  tail?: number | undefined;
  /** Starts after the entry of this number; with the oldest entry by default. */
  after?: number | undefined;
}

/** Iterates over the output of a process until it exits. */
export function followOutput(
  http: Http,
  path: string,
  { stream, tail, ...options }: FollowOptions,
  onExit?: (exit: ProcessExit) => void,
): AsyncIterableIterator<ProcessOutput> {
  const query = { stream, tail, encoding: "text" };
  return streamItems(
    http,
    { ...options, path: `${path}/logs/sse`, query },
    {
      item(event, end) {
        if (event.event === "log") return new ProcessOutput(JSON.parse(event.data) as ProcessLogEntry);
        if (event.event === "exit") {
          onExit?.(JSON.parse(event.data) as ProcessExit);
          end();
          return undefined;
        }
        isControl(event, options);
        return undefined;
      },
    },
  );
}
