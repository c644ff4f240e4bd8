// An agent behind one address, over a WebSocket: each text frame is a message.
//
// Bare messages have no ids to resume after, so the connection ends with its socket. Servers that offer a sub-protocol with
// frames of the form `{ event, id, data }` let a new socket continue after the last event.

import { type AcpTransportError, DeliveryError, HttpStatusError } from "../errors.ts";
import { isObject, type JsonRpcMessage } from "../jsonrpc.ts";
import { Backoff, sleep } from "../sse/backoff.ts";
import type { Delivery, Transport, TransportSink } from "../transport.ts";
import {
  deliveryError,
  discard,
  Endpoint,
  type EndpointOptions,
  statusError,
  withQuery,
} from "./endpoint.ts";
import { closeReason } from "./http.ts";
import { fromText, type IncomingEvent, receive } from "./incoming.ts";
import { DEFAULT_RECONNECT, type ReconnectOptions } from "./options.ts";
import { serialize } from "./serialize.ts";
import { type OpenWebSocket, Socket, type WebSocketConstructor, webSocketOpener } from "./socket.ts";

export interface SocketOptions extends EndpointOptions, ReconnectOptions {
  /**
   * Constructor of sockets, such as that of the package `ws`. The global one by default, which exists in browsers, Bun,
   * Deno and Node 22.
   */
  WebSocket?: WebSocketConstructor | undefined;
  /** Additional query of each socket, such as a ticket for browsers, which cannot send headers. */
  socketQuery?: (() => Record<string, string> | Promise<Record<string, string>>) | undefined;
  /** Takes a socket for dead after this many milliseconds without a ping, if the socket shows pings; 45,000 by default. */
  idleMs?: number | undefined;
}

export interface WebSocketTransportOptions extends SocketOptions {
  /** Query of the first socket, which starts the agent, such as `{ agent: "demo" }`. */
  start?: Record<string, string> | undefined;
  /** Sub-protocol whose frames are `{ event, id, data }`. With it, a broken socket is replaced by one that resumes. */
  eventProtocol?: string | undefined;
  /** Deletes the server with its agent on close, true by default. */
  deleteOnClose?: boolean | undefined;
}

/** Connects to an agent by WebSocket. */
export function webSocketTransport(options: WebSocketTransportOptions): Transport {
  return new WebSocketTransport(options, "server");
}

/** Connects by the standard ACP remote transport over WebSocket. The first message has to be `initialize`. */
export function standardWebSocketTransport(options: SocketOptions): Transport {
  return new WebSocketTransport(options, "standard");
}

const DEFAULT_IDLE_MS = 45_000;

class WebSocketTransport implements Transport {
  readonly shared: boolean;
  readonly #options: WebSocketTransportOptions;
  readonly #endpoint: Endpoint;
  readonly #controller = new AbortController();
  readonly #backoff: Backoff;
  #connect: OpenWebSocket | undefined;
  #socket: Socket | undefined;
  /** Settles with the next socket that is open. */
  #ready: Promise<Socket>;
  #onReady: (socket: Socket) => void = () => undefined;
  #onEnd: () => void = () => undefined;
  /** A socket was open once, so the server exists. */
  #started = false;
  #lastEventId: string | undefined;

  constructor(options: WebSocketTransportOptions, kind: "server" | "standard") {
    this.shared = kind === "server";
    this.#options = options;
    this.#endpoint = new Endpoint({ ...options, url: withScheme(options.url, "http") });
    this.#backoff = new Backoff(options.reconnect ?? DEFAULT_RECONNECT);
    this.#ready = this.#nextSocket();
  }

  open(sink: TransportSink): void {
    this.#connect = webSocketOpener(this.#options.WebSocket);
    void this.#run(sink);
  }

  async send(message: JsonRpcMessage, accepted: () => void): Promise<Delivery> {
    const text = serialize(message);
    let socket = await this.#ready;
    // A socket that has just been closed is replaced in a moment.
    while (socket.isClosed) socket = await this.#ready;
    await socket.send(text);
    accepted();
    return socket.isClosed ? { kind: "unconfirmed", error: await socket.closed } : { kind: "sent" };
  }

  async close(how: "end" | "release", signal: AbortSignal): Promise<void> {
    this.#controller.abort();
    this.#onEnd();
    await this.#socket?.close();
    if (how === "release" || !this.shared || this.#options.deleteOnClose === false || !this.#started) return;
    discard(await this.#endpoint.fetch("DELETE", { signal }));
  }

  async #run(sink: TransportSink): Promise<void> {
    while (!this.#controller.signal.aborted) {
      const error = await this.#session(sink).catch((failure: unknown) =>
        deliveryError(failure, "opening the socket"),
      );
      if (this.#controller.signal.aborted) return;
      this.#socket = undefined;
      const delay = this.#mayResume(error) ? this.#backoff.next() : undefined;
      if (delay === undefined) {
        sink.onClosed(closeReason(error));
        return;
      }
      sink.onUnconfirmed(error);
      sink.onEvent({ type: "reconnecting", cause: error, delayMs: delay, sessionId: undefined });
      await sleep(delay, this.#controller.signal).catch(() => undefined);
    }
  }

  /** Opens a socket and reads it to its end. Returns why it ended. */
  async #session(sink: TransportSink): Promise<AcpTransportError> {
    const socket = await this.#openSocket();
    if (this.#controller.signal.aborted) {
      await socket.close();
      return socket.closed;
    }
    const again = this.#started;
    this.#started = true;
    this.#socket = socket;
    this.#onReady(socket);
    void socket.closed.then(() => {
      if (!this.#controller.signal.aborted) this.#ready = this.#nextSocket();
    });
    if (again) sink.onEvent({ type: "reconnected", sessionId: undefined });
    const framed = socket.protocol !== "" && socket.protocol === this.#options.eventProtocol;
    for (let text = await socket.next(); text !== undefined; text = await socket.next()) {
      if (this.#controller.signal.aborted) break;
      await receive(sink, framed ? this.#unframe(text) : fromText("message", text));
      this.#backoff.reset();
    }
    return socket.closed;
  }

  async #openSocket(): Promise<Socket> {
    const { url, eventProtocol, socketQuery, start, idleMs = DEFAULT_IDLE_MS } = this.#options;
    const query = {
      ...(this.#started ? {} : start),
      ...(this.#lastEventId === undefined ? {} : { lastEventId: this.#lastEventId }),
      ...(await socketQuery?.()),
    };
    const headers = await this.#endpoint.headers();
    const address = withQuery(withScheme(url, "ws"), query);
    if (this.#connect === undefined) throw new DeliveryError("the transport is not open", "not-sent");
    const socket = new Socket(
      this.#connect(address, eventProtocol === undefined ? [] : [eventProtocol], headers),
      idleMs,
    );
    const abort = (): void => void socket.close();
    this.#controller.signal.addEventListener("abort", abort, { once: true });
    try {
      await socket.opened;
      return socket;
    } catch (error) {
      throw (await this.#refusal(query)) ?? error;
    } finally {
      this.#controller.signal.removeEventListener("abort", abort);
    }
  }

  /** A socket does not say why the server refused it, so an ordinary request asks for the status. */
  async #refusal(query: Record<string, string>): Promise<HttpStatusError | undefined> {
    try {
      const { signal } = this.#controller;
      const response = await this.#endpoint.fetch("GET", {
        query,
        headers: { Accept: "text/event-stream" },
        signal,
      });
      const refused = this.shared
        ? response.status >= 400
        : response.status === 401 || response.status === 403;
      if (refused) return await statusError(response, "opening the socket");
      discard(response);
    } catch {
      // Then the network is the reason.
    }
    return undefined;
  }

  #mayResume(error: AcpTransportError): boolean {
    if (this.#lastEventId === undefined) return false;
    if (!(error instanceof HttpStatusError)) return true;
    return error.status >= 500 || error.status === 408 || error.status === 429;
  }

  #unframe(text: string): IncomingEvent {
    const { event, data, value } = unwrap(text);
    if (typeof value === "number" || typeof value === "string") this.#lastEventId = String(value);
    return { event, data, text };
  }

  #nextSocket(): Promise<Socket> {
    const next = new Promise<Socket>((resolve, reject) => {
      this.#onReady = resolve;
      this.#onEnd = () => reject(new DeliveryError("the socket is closed", "not-sent"));
    });
    // The rejection is for messages that wait for the socket.
    next.catch(() => undefined);
    return next;
  }
}

function unwrap(text: string): { event: string; data: unknown; value: unknown } {
  const { data: frame } = fromText("message", text);
  if (!isObject(frame)) return { event: "unknown", data: undefined, value: undefined };
  const { event, data, id } = frame;
  return { event: typeof event === "string" ? event : "message", data, value: id };
}

/** Returns an address with the scheme for sockets or for requests. */
function withScheme(url: string | URL, scheme: "http" | "ws"): string {
  return new URL(url).href.replace(/^(?:http|ws)(s?):/, `${scheme}$1:`);
}
