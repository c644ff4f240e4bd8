// A stream of events that reconnects and reports to the connection. Both HTTP transports read through it.

import { type AcpTransportError, DeliveryError, HttpStatusError } from "../errors.ts";
import { StreamResponseError } from "../sse/errors.ts";
import { isFatalStreamError, resumeEvents } from "../sse/resume.ts";
import type { TransportSink } from "../transport.ts";
import { deliveryError, type Endpoint } from "./endpoint.ts";
import { fromText, receive } from "./incoming.ts";
import { DEFAULT_RECONNECT, type HttpOptions } from "./options.ts";

export interface EventStreamOptions {
  endpoint: Endpoint;
  http: HttpOptions;
  sink: TransportSink;
  headers?: Record<string, string> | undefined;
  /** Session whose stream this is. */
  sessionId?: string | undefined;
  /** Decides about a status below 500 that would end the stream. */
  retryStatus?: ((status: number) => boolean) | undefined;
  /** A request for the stream is about to be sent. */
  onAttempt?: (() => void) | undefined;
  /** The stream is open, for the first time or again. */
  onOpen?: (() => void) | undefined;
}

/** How a stream ended. */
export type StreamEnd = { kind: "ended" } | { kind: "failed"; error: AcpTransportError };

export class EventStream {
  /** Resolves once the stream has ended. Never rejects. */
  readonly ended: Promise<StreamEnd>;
  readonly #options: EventStreamOptions;
  readonly #controller = new AbortController();
  #opened = false;
  #broken = false;
  /** The server sends ids, so a broken stream continues where it was. */
  #resumable = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.ended = this.#run();
  }

  /** True once the stream has been open, so that everything since then arrives or is reported as lost. */
  get isOpen(): boolean {
    return this.#opened;
  }

  stop(): void {
    this.#controller.abort();
  }

  async #run(): Promise<StreamEnd> {
    const { http, sink, sessionId } = this.#options;
    const events = resumeEvents({
      open: (lastEventId, signal) => this.#open(lastEventId, signal),
      signal: this.#controller.signal,
      backoff: http.reconnect ?? DEFAULT_RECONNECT,
      isFatal: (error) => this.#isFatal(error),
      onReconnect: (cause, delayMs) => this.#onBroken(cause, delayMs),
      ...(http.idleMs === undefined ? {} : { idleMs: http.idleMs }),
      ...(http.maxMessageBytes === undefined ? {} : { maxEventBytes: http.maxMessageBytes }),
    });
    try {
      for await (const { event, data } of events) {
        await receive(sink, fromText(event, data), sessionId);
        if (this.#controller.signal.aborted) break;
      }
      return { kind: "ended" };
    } catch (error) {
      return { kind: "failed", error: toTransportError(error) };
    }
  }

  async #open(lastEventId: string | undefined, signal: AbortSignal): Promise<Response> {
    const { endpoint, headers, onAttempt } = this.#options;
    onAttempt?.();
    this.#resumable = lastEventId !== undefined;
    const cursor = lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId };
    const response = await endpoint.fetch("GET", {
      headers: { Accept: "text/event-stream", ...headers, ...cursor },
      signal,
    });
    if (response.ok) this.#onOpen();
    return response;
  }

  #onOpen(): void {
    const { sink, sessionId, onOpen } = this.#options;
    if (this.#broken) {
      this.#broken = false;
      sink.onEvent({ type: "reconnected", sessionId });
      // Without a cursor, nobody knows what was lost with the old connection.
      if (!this.#resumable) sink.onGap({ oldest: undefined, newest: undefined, sessionId });
    }
    this.#opened = true;
    onOpen?.();
  }

  #onBroken(cause: unknown, delayMs: number): void {
    if (!this.#opened) return;
    this.#broken = true;
    this.#options.sink.onEvent({ type: "reconnecting", cause, delayMs, sessionId: this.#options.sessionId });
  }

  #isFatal(error: unknown): boolean {
    if (error instanceof StreamResponseError && this.#options.retryStatus?.(error.status)) return false;
    return isFatalStreamError(error);
  }
}

function toTransportError(error: unknown): AcpTransportError {
  if (error instanceof StreamResponseError) {
    if (error.status >= 400)
      return new HttpStatusError(error.status, error.headers, error.body, "the event stream");
    return new DeliveryError(error.message, "unknown", { cause: error });
  }
  return deliveryError(error, "the event stream");
}
