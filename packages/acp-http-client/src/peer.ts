// A small JSON-RPC peer, for programs that do not use the official SDK. Its failures keep their types.

import { Connection, type ConnectionOptions, type Receiver } from "./connection.ts";
import { type AcpTransportError, JsonRpcError } from "./errors.ts";
import type { CloseReason } from "./events.ts";
import {
  CANCEL_REQUEST,
  INTERNAL_ERROR,
  isObject,
  isRequest,
  isResponse,
  type JsonRpcId,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  METHOD_NOT_FOUND,
} from "./jsonrpc.ts";
import type { Transport } from "./transport.ts";

export interface IncomingContext {
  /** Id of the agent's request. */
  readonly id: JsonRpcId;
  /** Aborts when the agent withdraws the request, and when the connection ends. */
  readonly signal: AbortSignal;
}

export interface PeerOptions extends ConnectionOptions {
  /**
   * Answers a request of the agent. Throw a `JsonRpcError` to answer with an error. Without it, requests are answered with
   * "method not found".
   */
  onRequest?: ((method: string, params: unknown, context: IncomingContext) => unknown) | undefined;
  /** Receives notifications of the agent, in order. Exceptions are ignored. */
  onNotification?: ((method: string, params: unknown) => void) | undefined;
}

export interface RequestOptions {
  /** Cancels the request at the agent. The call rejects with the signal's reason at once. */
  signal?: AbortSignal | undefined;
}

interface Waiter {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * A client's end of an ACP connection.
 *
 * @example
 * ```ts
 * const peer = new AcpPeer(httpTransport({ url, headers, start: { agent: "demo" } }));
 * await peer.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
 * ```
 */
export class AcpPeer implements AsyncDisposable {
  readonly #options: PeerOptions;
  readonly #connection: Connection;
  readonly #waiters = new Map<JsonRpcId, Waiter>();
  readonly #incoming = new Map<JsonRpcId, AbortController>();
  #nextId = 0;

  constructor(transport: Transport, options: PeerOptions = {}) {
    this.#options = options;
    this.#connection = new Connection(transport, this.#receiver, options);
  }

  /** Resolves once the connection has ended and released everything. Never rejects. */
  get closed(): Promise<CloseReason> {
    return this.#connection.closed;
  }

  /** Sends a request and returns the result. Rejects with a `JsonRpcError` or an `AcpTransportError`. */
  async request<T = unknown>(method: string, params?: unknown, options: RequestOptions = {}): Promise<T> {
    const { signal } = options;
    signal?.throwIfAborted();
    const id = this.#nextId;
    this.#nextId += 1;
    let onAbort = (): void => undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#waiters.set(id, { resolve: (result) => resolve(result as T), reject });
        onAbort = () => {
          this.#waiters.delete(id);
          this.notify(CANCEL_REQUEST, { requestId: id }).catch(() => undefined);
          reject(signal?.reason);
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        void this.#connection.send({ jsonrpc: "2.0", id, method, ...paramsOf(params) });
      });
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Sends a notification. Resolves once the server has it. */
  async notify(method: string, params?: unknown): Promise<void> {
    await this.#connection.send({ jsonrpc: "2.0", method, ...paramsOf(params) });
  }

  /** Ends the connection. Pending requests reject. Never rejects itself. */
  async close(): Promise<void> {
    await this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  readonly #receiver: Receiver = {
    onMessage: async (message) => {
      if (isResponse(message)) this.#onResponse(message);
      else if (isRequest(message)) void this.#answer(message);
      else this.#onNotification(message);
    },
    onFailure: (id, error: AcpTransportError) => this.#take(id)?.reject(error),
    onClosed: () => {
      for (const controller of this.#incoming.values()) controller.abort();
      this.#incoming.clear();
    },
  };

  #take(id: JsonRpcId): Waiter | undefined {
    const waiter = this.#waiters.get(id);
    this.#waiters.delete(id);
    return waiter;
  }

  #onResponse(message: JsonRpcMessage & { id: JsonRpcId }): void {
    const waiter = this.#take(message.id);
    if (waiter === undefined) return;
    if ("error" in message) {
      const { code, message: text, data } = message.error;
      waiter.reject(new JsonRpcError(code, text, data));
    } else if ("result" in message) waiter.resolve(message.result);
  }

  #onNotification({ method, params }: JsonRpcNotification): void {
    if (method === CANCEL_REQUEST && isObject(params)) {
      this.#incoming.get(params["requestId"] as JsonRpcId)?.abort();
      return;
    }
    try {
      this.#options.onNotification?.(method, params);
    } catch {
      // One update that its handler cannot take must not end the connection.
    }
  }

  async #answer(request: JsonRpcRequest): Promise<void> {
    const { id } = request;
    const controller = new AbortController();
    this.#incoming.set(id, controller);
    const outcome = await this.#handle(request, { id, signal: controller.signal });
    if (this.#incoming.get(id) === controller) this.#incoming.delete(id);
    const response: JsonRpcMessage = { jsonrpc: "2.0", id, ...outcome };
    await this.#connection.post(response);
  }

  async #handle(
    { method, params }: JsonRpcRequest,
    context: IncomingContext,
  ): Promise<{ result: unknown } | { error: { code: number; message: string; data?: unknown } }> {
    const { onRequest } = this.#options;
    if (onRequest === undefined)
      return { error: { code: METHOD_NOT_FOUND, message: `method not found: ${method}` } };
    try {
      return { result: (await onRequest(method, params, context)) ?? null };
    } catch (error) {
      if (error instanceof JsonRpcError) return { error: error.toObject() };
      return {
        error: { code: INTERNAL_ERROR, message: error instanceof Error ? error.message : String(error) },
      };
    }
  }
}

function paramsOf(params: unknown): { params?: unknown } {
  return params === undefined ? {} : { params };
}
