// An agent behind one address: POST sends a message, GET streams what the agent says, DELETE ends it.
//
// Requests are sent with `Prefer: respond-async`. Each POST then ends at once, and the response comes on the stream. So no
// timeout of a client or gateway limits a turn, messages stay in order, and a browser's few connections stay free.
// A server that does not know the preference answers with the response instead, which works as well.

import { type AcpTransportError, HttpStatusError } from "../errors.ts";
import type { CloseReason } from "../events.ts";
import { isRequest, type JsonRpcMessage } from "../jsonrpc.ts";
import { sleep } from "../sse/backoff.ts";
import type { Delivery, Transport, TransportSink } from "../transport.ts";
import { Endpoint, type EndpointOptions } from "./endpoint.ts";
import { EventStream } from "./event-stream.ts";
import { DEFAULT_MAX_MESSAGE_BYTES, DEFAULT_RETRY, DEFAULT_STATUS_MS, type HttpOptions } from "./options.ts";
import { post } from "./post.ts";

export interface HttpTransportOptions extends EndpointOptions, HttpOptions {
  /** Query of the first message, which starts the agent, such as `{ agent: "demo" }`. */
  start?: Record<string, string> | undefined;
  /** Deletes the server with its agent on close, true by default. */
  deleteOnClose?: boolean | undefined;
}

/** A message overtakes one whose status takes longer, at servers that answer requests with their response. */
const ORDER_MS = 1_000;
/** Longest wait for the stream before requests are sent without it. */
const STREAM_MS = 5_000;

/** Connects to an agent by POST and server-sent events. */
export function httpTransport(options: HttpTransportOptions): Transport {
  return new HttpTransport(options);
}

/** Returns whether the server answers requests before their response is there. */
type AsyncSupport = "unknown" | "yes" | "no";

class HttpTransport implements Transport {
  readonly shared = true;
  readonly #options: HttpTransportOptions;
  readonly #endpoint: Endpoint;
  readonly #controller = new AbortController();
  #sink: TransportSink | undefined;
  #stream: EventStream | undefined;
  #onStreamOpen: () => void = () => undefined;
  #streamOpen: Promise<void> = Promise.resolve();
  /** The server has taken a message, so it exists. */
  #started = false;
  #async: AsyncSupport = "unknown";

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#endpoint = new Endpoint(options);
  }

  open(sink: TransportSink): void {
    this.#sink = sink;
  }

  async send(message: JsonRpcMessage, accepted: () => void): Promise<Delivery> {
    this.#ensureStream();
    if (this.#started && this.#stream?.isOpen === false) await this.#waitForStream();
    const isAsync = isRequest(message) && this.#stream?.isOpen === true;
    // The status of a synchronous request comes with its response, so it must not hold later messages back.
    const timer = this.#async === "yes" || !isRequest(message) ? undefined : setTimeout(accepted, ORDER_MS);
    const starts = !this.#started;
    try {
      return await post(this.#endpoint, message, {
        headers: isAsync ? { Prefer: "respond-async" } : {},
        query: starts ? this.#options.start : undefined,
        signal: this.#controller.signal,
        statusMs: isRequest(message) && this.#async !== "yes" ? undefined : this.#statusMs,
        onStatus: (response) => {
          if (response.ok) this.#started = true;
          if (response.ok && isAsync) this.#async = response.status === 202 ? "yes" : "no";
          accepted();
        },
        retry: this.#options.retry ?? DEFAULT_RETRY,
        maxMessageBytes: this.#options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
        hasStream: () => this.#stream?.isOpen === true,
      });
    } finally {
      clearTimeout(timer);
      // A server that was not started has nothing to stream. The next message tries again.
      if (this.#started) this.#ensureStream();
      else if (this.#stream?.isOpen === false) this.#dropStream();
    }
  }

  async close(how: "end" | "release", signal: AbortSignal): Promise<void> {
    this.#controller.abort();
    this.#dropStream();
    if (how === "release" || this.#options.deleteOnClose === false || !this.#started) return;
    const response = await this.#endpoint.fetch("DELETE", { signal });
    await response.body?.cancel();
  }

  get #statusMs(): number {
    return this.#options.statusMs ?? DEFAULT_STATUS_MS;
  }

  #ensureStream(): void {
    if (!this.#controller.signal.aborted) this.#stream ??= this.#openStream();
  }

  #openStream(): EventStream {
    this.#streamOpen = new Promise((resolve) => {
      this.#onStreamOpen = resolve;
    });
    let existed = false;
    const stream = new EventStream({
      endpoint: this.#endpoint,
      http: this.#options,
      sink: this.#sinkOf(),
      onAttempt: () => {
        existed = this.#started;
      },
      // The stream is asked for together with the message that starts the server, and may come first.
      retryStatus: (status) => status === 404 && !existed,
      onOpen: () => this.#onStreamOpen(),
    });
    void stream.ended.then((end) => {
      if (this.#stream !== stream) return;
      if (!this.#started) this.#stream = undefined;
      else if (end.kind === "failed") this.#sinkOf().onClosed(closeReason(end.error));
      else this.#sinkOf().onClosed({ kind: "gone", error: noStream() });
    });
    return stream;
  }

  #dropStream(): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.stop();
  }

  async #waitForStream(): Promise<void> {
    const limit = new AbortController();
    const late = sleep(STREAM_MS, limit.signal).catch(() => undefined);
    await Promise.race([this.#streamOpen, late]);
    limit.abort();
  }

  #sinkOf(): TransportSink {
    if (this.#sink === undefined) throw new Error("the transport is not open");
    return this.#sink;
  }
}

function noStream(): AcpTransportError {
  return new HttpStatusError(204, new Headers(), "", "the event stream");
}

/** Returns why a connection ends whose stream failed. */
export function closeReason(error: AcpTransportError): CloseReason {
  const gone = error instanceof HttpStatusError && (error.status === 404 || error.status === 410);
  return { kind: gone ? "gone" : "failed", error };
}
