// The logic of a connection, the same for every transport: order, ids, pending requests, failures, the end.

import { AcpTransportError, closedError, OverflowError } from "./errors.ts";
import type { CloseReason, TransportEvent } from "./events.ts";
import { IdScope } from "./ids.ts";
import {
  isRequest,
  isResponse,
  type JsonRpcId,
  type JsonRpcMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  sessionOf,
} from "./jsonrpc.ts";
import { type PendingRequest, PendingRequests } from "./pending.ts";
import { untilAborted } from "./sse/until-aborted.ts";
import type { Delivery, Transport, TransportSink } from "./transport.ts";

export interface ConnectionOptions {
  /** Receives the transport's events. Exceptions are ignored. */
  onEvent?: ((event: TransportEvent) => void) | undefined;
  /** Closes the connection. */
  signal?: AbortSignal | undefined;
  /** Longest time that `close()` takes in milliseconds, 5,000 by default. */
  closeMs?: number | undefined;
  /**
   * A request that may not have arrived fails after this time without a message of its session, in milliseconds; 60,000
   * by default. It is never sent twice.
   */
  unconfirmedMs?: number | undefined;
  /** Messages that may wait to be sent, 1,024 by default. */
  maxQueued?: number | undefined;
}

/** Receives from a connection: a stream or a peer. */
export interface Receiver {
  /** Takes a message. Resolves once there is room for the next one. */
  onMessage(message: JsonRpcMessage): Promise<void>;
  /** A request of the receiver will get no response. */
  onFailure(id: JsonRpcId, error: AcpTransportError): void;
  /** Nothing follows. */
  onClosed(reason: CloseReason): void;
}

type State = { kind: "open" } | { kind: "ended"; reason: CloseReason; released: Promise<void> };

const DEFAULT_CLOSE_MS = 5_000;
const DEFAULT_UNCONFIRMED_MS = 60_000;
const DEFAULT_MAX_QUEUED = 1_024;
/** Answers that are kept to be sent again: more than an agent waits for at once, and few enough for files that it has read. */
const MAX_ANSWERS = 64;

export class Connection {
  /** Resolves once the connection has ended and released everything. */
  readonly closed: Promise<CloseReason>;

  readonly #transport: Transport;
  readonly #receiver: Receiver;
  readonly #options: ConnectionOptions;
  readonly #ids: IdScope;
  readonly #pending: PendingRequests;
  /** Answers to the agent that went out without an acknowledgment. They are sent again if the connection breaks. */
  readonly #answers = new Map<JsonRpcId, JsonRpcResponse>();
  #resolveClosed: (reason: CloseReason) => void = () => undefined;
  #state: State = { kind: "open" };
  /** Settles once the next message may be sent. */
  #turn: Promise<void> = Promise.resolve();
  #queued = 0;

  constructor(transport: Transport, receiver: Receiver, options: ConnectionOptions = {}) {
    this.#transport = transport;
    this.#receiver = receiver;
    this.#options = options;
    this.#ids = new IdScope(transport.shared);
    this.#pending = new PendingRequests(options.unconfirmedMs ?? DEFAULT_UNCONFIRMED_MS, this.#onFailed);
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    transport.open(this.#sink);
    if (options.signal?.aborted) this.#onAbort();
    else options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /**
   * Sends a message after those that were sent before. For a request, resolves once the next message cannot overtake it;
   * its failure is reported to the receiver. Other messages resolve once the server has them, or reject.
   */
  async send(message: JsonRpcMessage): Promise<void> {
    if (!isRequest(message)) {
      await this.#deliver(message).catch((error: unknown) => {
        throw toTransportError(error);
      });
      return;
    }
    await new Promise<void>((resolve) => {
      void this.#request(message, resolve).then(resolve);
    });
  }

  /** Sends a message. If it is not delivered, reports that as an event instead of rejecting. */
  async post(message: JsonRpcMessage): Promise<void> {
    await this.send(message).catch((error: AcpTransportError) => {
      this.emit({ type: "undelivered", message, error });
    });
  }

  /** Ends the connection, within `closeMs`. Pending requests fail. Never rejects. */
  async close(): Promise<void> {
    await this.#end({ kind: "closed" });
  }

  /** Sends a notification or an answer. An agent ignores the second answer to a request, so answers may be repeated. */
  async #deliver(message: JsonRpcMessage): Promise<void> {
    const { kind } = await this.#inOrder(() => this.#ids.translate(message));
    if (!isResponse(message)) return;
    if (kind === "unconfirmed") await this.#deliver(message);
    if (kind === "sent") this.#keep(message);
  }

  #keep(answer: JsonRpcResponse): void {
    this.#answers.set(answer.id, answer);
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined && this.#answers.size > MAX_ANSWERS) this.#answers.delete(oldest);
  }

  #repeatAnswers(): void {
    const answers = [...this.#answers.values()];
    this.#answers.clear();
    for (const message of answers)
      this.send(message).catch((error: AcpTransportError) =>
        this.#sink.onEvent({ type: "undelivered", message, error }),
      );
  }

  async #request(message: JsonRpcRequest, onAccepted: () => void): Promise<void> {
    if (this.#state.kind !== "open") {
      this.#receiver.onFailure(message.id, this.#closedError());
      return;
    }
    const request = this.#pending.add(message.id, this.#ids.assign(message.id), sessionOf(message));
    try {
      const delivery = await this.#inOrder(() => ({ ...message, id: request.wireId }), onAccepted);
      if (delivery.kind === "delivered") this.#pending.onDelivered(request);
      else if (delivery.kind === "sent") this.#pending.onSent(request);
      else if (delivery.kind === "unconfirmed") this.#pending.onUnconfirmed(request, delivery.error);
      else if (delivery.kind === "answered")
        await this.#sink.onMessage({ ...delivery.response, id: request.wireId });
    } catch (error) {
      this.#pending.fail(request, toTransportError(error));
    }
  }

  /** Hands a message to the transport once it is its turn. */
  async #inOrder(message: () => JsonRpcMessage, onAccepted?: () => void): Promise<Delivery> {
    if (this.#state.kind !== "open") throw this.#closedError();
    if (this.#queued >= (this.#options.maxQueued ?? DEFAULT_MAX_QUEUED))
      throw new OverflowError(`${this.#queued} messages are waiting to be sent`, "not-sent");
    const turn = this.#turn;
    let accepted = (): void => undefined;
    this.#turn = new Promise((resolve) => {
      accepted = () => {
        accepted = () => undefined;
        this.#queued -= 1;
        resolve();
        onAccepted?.();
      };
    });
    this.#queued += 1;
    try {
      await turn;
      if (this.#state.kind !== "open") throw this.#closedError();
      return await this.#transport.send(message(), () => accepted());
    } finally {
      accepted();
    }
  }

  #closedError(): AcpTransportError {
    return closedError(this.#state.kind === "open" ? { kind: "closed" } : this.#state.reason, "not-sent");
  }

  readonly #onFailed = (request: PendingRequest, error: AcpTransportError): void => {
    this.#ids.release(request.id, request.wireId);
    this.#receiver.onFailure(request.id, error);
  };

  readonly #onAbort = (): void => {
    void this.#end({ kind: "aborted", cause: this.#options.signal?.reason });
  };

  /** Ends once. Later calls wait until the first has released everything. */
  #end(reason: CloseReason): Promise<void> {
    if (this.#state.kind === "ended") return this.#state.released;
    let released = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      released = resolve;
    });
    this.#state = { kind: "ended", reason, released: done };
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#pending.failAll(() => closedError(reason, "unknown"));
    this.#receiver.onClosed(reason);
    void this.#release(reason).finally(() => {
      released();
      this.emit({ type: "closed", reason });
      this.#resolveClosed(reason);
    });
    return done;
  }

  async #release(reason: CloseReason): Promise<void> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.#options.closeMs ?? DEFAULT_CLOSE_MS);
    const ours = reason.kind === "closed" || reason.kind === "aborted";
    try {
      await untilAborted(this.#transport.close(ours ? "end" : "release", limit.signal), limit.signal);
    } catch {
      // The connection has ended for its user. A failure to say so to the server changes nothing.
    } finally {
      clearTimeout(timer);
    }
  }

  /** Reports an event to the listener. */
  emit(event: TransportEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch {
      // A listener's exception must not break the connection, and there is nobody to report it to.
    }
  }

  async #onResponse(message: JsonRpcMessage & { id: JsonRpcId }): Promise<void> {
    // Others' responses are on the stream as well, and responses to requests that have failed already.
    const request = this.#pending.take(message.id);
    if (request === undefined) return;
    this.#ids.release(request.id, request.wireId);
    // The agent asks while it works on a request. Without one, it waits for no answer.
    if (this.#pending.size === 0) this.#answers.clear();
    await this.#receiver.onMessage({ ...message, id: request.id });
  }

  readonly #sink: TransportSink = {
    onMessage: async (message) => {
      if (this.#state.kind !== "open") return;
      if (isResponse(message)) return this.#onResponse(message);
      const sessionId = sessionOf(message);
      if (sessionId !== undefined) this.#pending.onSessionMessage(sessionId);
      // An id that is used again has nothing to do with the old answer.
      if (isRequest(message)) this.#answers.delete(message.id);
      await this.#receiver.onMessage(message);
    },
    onGap: (gap) => {
      if (this.#state.kind !== "open") return;
      this.#pending.onGap(gap.sessionId);
      this.emit({ type: "gap", ...gap });
    },
    onSessionLost: (sessionId, error) => {
      if (this.#state.kind !== "open") return;
      this.#pending.failSession(sessionId, error);
      this.emit({ type: "gap", oldest: undefined, newest: undefined, sessionId });
    },
    onExit: (exit) => {
      if (this.#state.kind !== "open") return;
      this.emit({ type: "exit", exit });
      void this.#end({ kind: "exit", exit });
    },
    onEvent: (event) => {
      if (this.#state.kind === "open") this.emit(event);
    },
    onUnconfirmed: (error) => {
      this.#pending.onAllUnconfirmed(error);
      this.#repeatAnswers();
    },
    onClosed: (reason) => {
      void this.#end(reason);
    },
  };
}

/** Transports reject with typed errors. Anything else is a bug of a custom one, such as in its `fetch`. */
function toTransportError(error: unknown): AcpTransportError {
  if (error instanceof AcpTransportError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new AcpTransportError(message, "unknown", { cause: error });
}
