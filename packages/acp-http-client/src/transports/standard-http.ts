// The standard ACP remote transport over HTTP: a stream for the connection and one for each session.

import { ProtocolError } from "../errors.ts";
import {
  isObject,
  isRequest,
  isResponse,
  type JsonRpcId,
  type JsonRpcMessage,
  sessionIn,
  sessionOf,
} from "../jsonrpc.ts";
import { sleep } from "../sse/backoff.ts";
import type { Delivery, Transport, TransportSink } from "../transport.ts";
import { discard, Endpoint, type EndpointOptions } from "./endpoint.ts";
import { EventStream } from "./event-stream.ts";
import { closeReason } from "./http.ts";
import { DEFAULT_MAX_MESSAGE_BYTES, DEFAULT_RETRY, DEFAULT_STATUS_MS, type HttpOptions } from "./options.ts";
import { post } from "./post.ts";

export interface StandardHttpTransportOptions extends EndpointOptions, HttpOptions {}

const CONNECTION_ID = "Acp-Connection-Id";
const SESSION_ID = "Acp-Session-Id";
/** Longest wait for a session's stream before a message of that session is sent. */
const STREAM_MS = 5_000;

/** Connects by the standard ACP remote transport over HTTP. The first message has to be `initialize`. */
export function standardHttpTransport(options: StandardHttpTransportOptions): Transport {
  return new StandardHttpTransport(options);
}

interface SessionStream {
  readonly stream: EventStream;
  readonly opened: Promise<void>;
}

class StandardHttpTransport implements Transport {
  readonly shared = false;
  readonly #options: StandardHttpTransportOptions;
  readonly #endpoint: Endpoint;
  readonly #controller = new AbortController();
  readonly #sessions = new Map<string, SessionStream>();
  /** Sessions of requests that the agent waits on: their answers have to name them. */
  readonly #askedIn = new Map<JsonRpcId, string>();
  /** Requests that end a session, whose stream is not needed afterwards. */
  readonly #ending = new Map<JsonRpcId, string>();
  #sink: TransportSink | undefined;
  #connectionId: string | undefined;
  #connectionStream: EventStream | undefined;

  constructor(options: StandardHttpTransportOptions) {
    this.#options = options;
    this.#endpoint = new Endpoint(options);
  }

  open(sink: TransportSink): void {
    this.#sink = sink;
  }

  async send(message: JsonRpcMessage, accepted: () => void): Promise<Delivery> {
    if (this.#connectionId === undefined) return this.#initialize(message, accepted);
    const sessionId = this.#sessionFor(message);
    if (sessionId !== undefined) await this.#openSession(sessionId);
    if (isRequest(message) && /^session\/(close|delete)$/.test(message.method) && sessionId !== undefined)
      this.#ending.set(message.id, sessionId);
    const headers: Record<string, string> = { [CONNECTION_ID]: this.#connectionId };
    if (sessionId !== undefined) headers[SESSION_ID] = sessionId;
    const delivery = await this.#post(
      message,
      headers,
      this.#options.statusMs ?? DEFAULT_STATUS_MS,
      accepted,
    );
    if (isResponse(message)) this.#askedIn.delete(message.id);
    return delivery;
  }

  async close(how: "end" | "release", signal: AbortSignal): Promise<void> {
    this.#controller.abort();
    const connectionId = this.#connectionId;
    this.#connectionStream?.stop();
    for (const { stream } of this.#sessions.values()) stream.stop();
    this.#sessions.clear();
    if (how === "release" || connectionId === undefined) return;
    discard(await this.#endpoint.fetch("DELETE", { headers: { [CONNECTION_ID]: connectionId }, signal }));
  }

  async #initialize(message: JsonRpcMessage, accepted: () => void): Promise<Delivery> {
    if (!isRequest(message) || message.method !== "initialize")
      throw new ProtocolError("the first message has to be 'initialize'", "not-sent");
    const delivery = await this.#post(message, {}, undefined, accepted, (response) => {
      this.#connectionId = response.headers.get(CONNECTION_ID) ?? undefined;
    });
    if (this.#connectionId !== undefined) this.#openConnection(this.#connectionId);
    else if (delivery.kind !== "answered" || "result" in delivery.response)
      throw new ProtocolError(`the answer to 'initialize' has no ${CONNECTION_ID}`, "unknown");
    return delivery;
  }

  #post(
    message: JsonRpcMessage,
    headers: Record<string, string>,
    statusMs: number | undefined,
    accepted: () => void,
    onStatus?: (response: Response) => void,
  ): Promise<Delivery> {
    return post(this.#endpoint, message, {
      headers,
      signal: this.#controller.signal,
      statusMs,
      onStatus: (response) => {
        if (response.ok) onStatus?.(response);
        accepted();
      },
      retry: this.#options.retry ?? DEFAULT_RETRY,
      maxMessageBytes: this.#options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
      hasStream: () => this.#connectionStream?.isOpen === true,
    });
  }

  #sessionFor(message: JsonRpcMessage): string | undefined {
    return isResponse(message) ? this.#askedIn.get(message.id) : sessionOf(message);
  }

  #openConnection(connectionId: string): void {
    const stream = new EventStream({
      endpoint: this.#endpoint,
      http: this.#options,
      sink: this.#observed(undefined),
      headers: { [CONNECTION_ID]: connectionId },
      retryStatus: isTaken,
    });
    this.#connectionStream = stream;
    void stream.ended.then((end) => {
      if (this.#controller.signal.aborted) return;
      const error =
        end.kind === "failed" ? end.error : new ProtocolError("the server ended the stream", "unknown");
      this.#sink?.onClosed(closeReason(error));
    });
  }

  /** Opens the stream of a session if there is none. Resolves once it is open, has failed, or takes too long. */
  async #openSession(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId) ?? this.#newSession(sessionId);
    if (session.stream.isOpen) return;
    const limit = new AbortController();
    const late = sleep(STREAM_MS, limit.signal).catch(() => undefined);
    await Promise.race([session.opened, session.stream.ended, late]);
    limit.abort();
  }

  #newSession(sessionId: string): SessionStream {
    let onOpen = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      onOpen = resolve;
    });
    const stream: EventStream = new EventStream({
      endpoint: this.#endpoint,
      http: this.#options,
      sink: this.#observed(sessionId),
      headers: { [CONNECTION_ID]: this.#connectionId ?? "", [SESSION_ID]: sessionId },
      sessionId,
      retryStatus: (status) => stream.isOpen && isTaken(status),
      onOpen,
    });
    const session: SessionStream = { stream, opened };
    this.#sessions.set(sessionId, session);
    void stream.ended.then((end) => {
      if (this.#sessions.get(sessionId) !== session || this.#controller.signal.aborted) return;
      this.#sessions.delete(sessionId);
      if (end.kind === "failed") this.#sink?.onSessionLost(sessionId, end.error);
    });
    return session;
  }

  /** Watches for what the streams and headers of sessions depend on. */
  #observed(sessionId: string | undefined): TransportSink {
    const sink = this.#sink;
    if (sink === undefined) throw new Error("the transport is not open");
    return {
      ...sink,
      onMessage: async (message) => {
        if (isRequest(message)) this.#onAsked(message.id, sessionId ?? sessionOf(message));
        else if (isResponse(message)) this.#onResponse(message);
        await sink.onMessage(message);
      },
    };
  }

  #onAsked(id: JsonRpcId, sessionId: string | undefined): void {
    if (sessionId !== undefined) this.#askedIn.set(id, sessionId);
  }

  #onResponse(message: JsonRpcMessage & { id: JsonRpcId }): void {
    const ended = this.#ending.get(message.id);
    this.#ending.delete(message.id);
    if (!("result" in message)) return;
    if (ended !== undefined) {
      const session = this.#sessions.get(ended);
      this.#sessions.delete(ended);
      session?.stream.stop();
    }
    // A session that was created has something to say before the first message to it.
    const created = isObject(message.result) ? sessionIn(message.result) : undefined;
    if (created !== undefined && !this.#sessions.has(created)) this.#newSession(created);
  }
}

/** The server still counts the broken connection as the reader of the stream. */
function isTaken(status: number): boolean {
  return status === 409;
}
