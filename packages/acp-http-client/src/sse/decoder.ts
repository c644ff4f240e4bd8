// Decodes the bytes of a `text/event-stream` body into events, independent of how they are cut into chunks.

import { EventTooLargeError } from "./errors.ts";

/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  /** Type of the event, `message` if the server names none. */
  event: string;
  /** Data of the event. Lines are joined by a line feed. */
  data: string;
  /** The last id that the stream has sent, with this event or before it. */
  id: string | undefined;
}

/** Default of `maxEventBytes`: 128 MiB. */
export const DEFAULT_MAX_EVENT_BYTES = 128 * 1024 * 1024;

const LINE_FEED = 10;
const SPACE = 32;

/**
 * Decodes chunks of one body. Searches each chunk for line ends once, so the cost does not depend on the number of chunks
 * that an event is cut into.
 */
export class EventDecoder {
  /** The last id of a complete event, to resume after. */
  lastEventId: string | undefined;
  /** Reconnection time in milliseconds, if the server sent one. */
  retryMs: number | undefined;

  readonly #text = new TextDecoder();
  readonly #maxEventBytes: number;
  /** Start of the line that the next chunk continues. */
  #partial = "";
  /** A chunk ended with a carriage return: a line feed at the start of the next one belongs to it. */
  #skipLineFeed = false;
  #event = "";
  #data: string | undefined;
  #id: string | undefined;

  constructor(lastEventId?: string, maxEventBytes: number = DEFAULT_MAX_EVENT_BYTES) {
    this.lastEventId = lastEventId;
    this.#id = lastEventId;
    this.#maxEventBytes = maxEventBytes;
  }

  /** Returns the events that the chunk completes. */
  push(chunk: Uint8Array): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    const text = this.#normalize(this.#text.decode(chunk, { stream: true }));
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#line(this.#partial + text.slice(start, end), events);
      this.#partial = "";
      start = end + 1;
    }
    this.#partial += text.slice(start);
    this.#checkSize(this.#partial.length);
    return events;
  }

  /** Replaces all line ends by line feeds. A chunk may end between the two characters of one. */
  #normalize(text: string): string {
    if (text === "") return text;
    const from = this.#skipLineFeed && text.charCodeAt(0) === LINE_FEED ? 1 : 0;
    this.#skipLineFeed = text.endsWith("\r");
    const rest = text.slice(from);
    return rest.includes("\r") ? rest.replace(/\r\n?/g, "\n") : rest;
  }

  #line(line: string, events: ServerSentEvent[]): void {
    if (line === "") {
      this.#dispatch(events);
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    this.#checkSize(line.length);
    if (colon === -1) {
      this.#field(line, "");
      return;
    }
    const value = line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1;
    this.#field(line.slice(0, colon), line.slice(value));
  }

  #field(name: string, value: string): void {
    switch (name) {
      case "data":
        this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
        this.#checkSize(this.#data.length);
        break;
      case "event":
        this.#event = value;
        break;
      case "id":
        if (!value.includes("\0")) this.#id = value === "" ? undefined : value;
        break;
      case "retry":
        if (/^\d+$/.test(value)) this.retryMs = Number(value);
        break;
    }
  }

  #dispatch(events: ServerSentEvent[]): void {
    this.lastEventId = this.#id;
    if (this.#data !== undefined) {
      events.push({ event: this.#event === "" ? "message" : this.#event, data: this.#data, id: this.#id });
      this.#data = undefined;
    }
    this.#event = "";
  }

  #checkSize(length: number): void {
    if (length > this.#maxEventBytes) throw new EventTooLargeError(this.#maxEventBytes);
  }
}
