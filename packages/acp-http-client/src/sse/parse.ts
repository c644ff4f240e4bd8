// Iterates over the events of one response body.

import { EventDecoder, type ServerSentEvent } from "./decoder.ts";
import { PullIterator } from "./pull-iterator.ts";

export interface ParseOptions {
  /**
   * Longest event, 128 MiB by default. A longer one ends the iteration with an `EventTooLargeError`. Counted in UTF-16
   * code units of a line and of the data, which are bytes for ASCII.
   */
  maxEventBytes?: number;
  /** Called for every chunk, also for one that completes no event. */
  onBytes?: () => void;
}

/**
 * Parses a body of server-sent events. Ends with the body; an event that is incomplete then is dropped. Leaving the loop
 * cancels the body.
 *
 * @example
 * ```ts
 * const response = await fetch(url);
 * if (response.body !== null) for await (const event of parseServerSentEvents(response.body)) console.log(event.data);
 * ```
 */
export function parseServerSentEvents(
  body: ReadableStream<Uint8Array>,
  options: ParseOptions = {},
): AsyncGenerator<ServerSentEvent, undefined, undefined> {
  const reader = body.getReader();
  const decoder = new EventDecoder(undefined, options.maxEventBytes);
  return new PullIterator<ServerSentEvent>({
    async pull() {
      const { done, value } = await reader.read();
      if (done) return undefined;
      options.onBytes?.();
      return decoder.push(value);
    },
    stop() {
      reader.cancel().catch(() => undefined);
    },
  });
}
