// Requests that wait for their response.

import { type AcpTransportError, ResponseLostError } from "./errors.ts";
import type { JsonRpcId } from "./jsonrpc.ts";

/**
 * - `queued`: it is being sent.
 * - `sent`: it is on its way, on a connection without acknowledgments.
 * - `delivered`: the server has it, so the response will come.
 * - `unconfirmed`: the connection broke while it was sent. It fails after a time without messages of its session.
 */
type State =
  | { kind: "queued" }
  | { kind: "sent" }
  | { kind: "delivered" }
  | { kind: "unconfirmed"; error: AcpTransportError; timer: ReturnType<typeof setTimeout> };

export interface PendingRequest {
  /** Id that the client knows. */
  readonly id: JsonRpcId;
  readonly wireId: JsonRpcId;
  readonly sessionId: string | undefined;
  state: State;
}

/** A table of pending requests by their ids on the wire. */
export class PendingRequests {
  readonly #requests = new Map<JsonRpcId, PendingRequest>();
  readonly #unconfirmedMs: number;
  readonly #onFailed: (request: PendingRequest, error: AcpTransportError) => void;

  constructor(unconfirmedMs: number, onFailed: (request: PendingRequest, error: AcpTransportError) => void) {
    this.#unconfirmedMs = unconfirmedMs;
    this.#onFailed = onFailed;
  }

  get size(): number {
    return this.#requests.size;
  }

  add(id: JsonRpcId, wireId: JsonRpcId, sessionId: string | undefined): PendingRequest {
    const request: PendingRequest = { id, wireId, sessionId, state: { kind: "queued" } };
    this.#requests.set(wireId, request);
    return request;
  }

  /** Removes the request that a response answers. Returns `undefined` if none waits for it. */
  take(wireId: JsonRpcId): PendingRequest | undefined {
    const request = this.#requests.get(wireId);
    if (request === undefined) return undefined;
    this.#confirmUntil(request);
    this.#remove(request);
    return request;
  }

  onSent(request: PendingRequest): void {
    if (request.state.kind === "queued") request.state = { kind: "sent" };
  }

  onDelivered(request: PendingRequest): void {
    if (request.state.kind === "unconfirmed") clearTimeout(request.state.timer);
    request.state = { kind: "delivered" };
  }

  /** The request may not have arrived: waits for a sign that it did. */
  onUnconfirmed(request: PendingRequest, error: AcpTransportError): void {
    if (!this.#isPending(request) || request.state.kind === "unconfirmed") return;
    const timer = setTimeout(() => this.fail(request, error), this.#unconfirmedMs);
    request.state = { kind: "unconfirmed", error, timer };
  }

  /** The connection that carried all pending requests broke. */
  onAllUnconfirmed(error: AcpTransportError): void {
    for (const request of this.#requests.values())
      if (request.state.kind === "sent") this.onUnconfirmed(request, error);
  }

  /**
   * The agent said something about a session. If a single request of the session is pending, the agent works on it. With
   * several, the message may belong to another one.
   */
  onSessionMessage(sessionId: string): void {
    let found: PendingRequest | undefined;
    for (const request of this.#requests.values()) {
      if (request.sessionId !== sessionId) continue;
      if (found !== undefined) return;
      found = request;
    }
    if (found !== undefined && found.state.kind !== "queued") this.onDelivered(found);
  }

  /** Fails the requests whose response may be lost: those of a session, or all. */
  onGap(sessionId: string | undefined): void {
    for (const request of [...this.#requests.values()])
      if (sessionId === undefined || request.sessionId === sessionId)
        this.fail(request, new ResponseLostError());
  }

  failSession(sessionId: string, error: AcpTransportError): void {
    for (const request of [...this.#requests.values()])
      if (request.sessionId === sessionId) this.fail(request, error);
  }

  fail(request: PendingRequest, error: AcpTransportError): void {
    if (!this.#isPending(request)) return;
    this.#remove(request);
    this.#onFailed(request, error);
  }

  failAll(error: (request: PendingRequest) => AcpTransportError): void {
    for (const request of [...this.#requests.values()]) this.fail(request, error(request));
  }

  /** Messages arrive in order: if a request was answered, those before it have arrived. */
  #confirmUntil(answered: PendingRequest): void {
    for (const request of this.#requests.values()) {
      if (request === answered) return;
      if (request.state.kind === "sent") this.onDelivered(request);
    }
  }

  #isPending(request: PendingRequest): boolean {
    return this.#requests.get(request.wireId) === request;
  }

  #remove(request: PendingRequest): void {
    if (request.state.kind === "unconfirmed") clearTimeout(request.state.timer);
    this.#requests.delete(request.wireId);
  }
}
