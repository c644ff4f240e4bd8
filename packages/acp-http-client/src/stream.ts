// A connection as a pair of streams, as the official SDK takes it.

import { Connection, type ConnectionOptions, type Receiver } from "./connection.ts";
import { type AcpTransportError, closedError, toErrorObject } from "./errors.ts";
import type { CloseReason } from "./events.ts";
import type { JsonRpcId, JsonRpcMessage } from "./jsonrpc.ts";
import type { Transport } from "./transport.ts";

/** Messages that wait for the reader. Beyond them, the transport is not read. */
const READ_AHEAD = 64;

/**
 * A connection to an agent. Fits wherever the official SDK takes a `Stream`.
 *
 * A failed request is answered with a JSON-RPC error whose `data` names the failure, so that a failure never affects other
 * requests. Writing does not fail while the connection is open.
 */
export interface AcpStream extends AsyncDisposable {
  readonly readable: ReadableStream<JsonRpcMessage>;
  readonly writable: WritableStream<JsonRpcMessage>;
  /** Resolves once the connection has ended and released everything. Never rejects. */
  readonly closed: Promise<CloseReason>;
  /** Ends the connection. Pending requests are answered with errors. Never rejects. */
  close(): Promise<void>;
}

/**
 * Opens a connection.
 *
 * @example
 * ```ts
 * const stream = openStream(httpTransport({ url, headers, start: { agent: "demo" } }));
 * const connection = client({ name: "example" }).connect(stream);
 * ```
 */
export function openStream(transport: Transport, options: ConnectionOptions = {}): AcpStream {
  const inbox = new Inbox();
  const connection = new Connection(transport, inbox, options);
  return {
    readable: new ReadableStream<JsonRpcMessage>(
      {
        pull: (controller) => inbox.pull(controller),
        cancel: () => connection.close(),
      },
      { highWaterMark: 0 },
    ),
    writable: new WritableStream<JsonRpcMessage>({
      write: async (message) => {
        if (inbox.reason !== undefined) throw closedError(inbox.reason, "not-sent");
        await connection.post(message);
      },
      close: () => connection.close(),
      abort: () => connection.close(),
    }),
    closed: connection.closed,
    close: () => connection.close(),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

/** Messages between the transport and the reader. */
class Inbox implements Receiver {
  reason: CloseReason | undefined;
  readonly #messages: JsonRpcMessage[] = [];
  #onMessage: (() => void) | undefined;
  #onRoom: (() => void)[] = [];

  async onMessage(message: JsonRpcMessage): Promise<void> {
    this.#add(message);
    if (this.#messages.length < READ_AHEAD || this.reason !== undefined) return;
    await new Promise<void>((resolve) => this.#onRoom.push(resolve));
  }

  onFailure(id: JsonRpcId, error: AcpTransportError): void {
    this.#add({ jsonrpc: "2.0", id, error: toErrorObject(error) });
  }

  onClosed(reason: CloseReason): void {
    this.reason = reason;
    this.#wake();
    for (const resume of this.#onRoom.splice(0)) resume();
  }

  /** Gives the reader its next message. Messages that arrived before the end are read before it. */
  async pull(controller: ReadableStreamDefaultController<JsonRpcMessage>): Promise<void> {
    while (this.#messages.length === 0 && this.reason === undefined) {
      await new Promise<void>((resolve) => {
        this.#onMessage = resolve;
      });
    }
    const message = this.#messages.shift();
    if (message !== undefined) {
      controller.enqueue(message);
      if (this.#messages.length < READ_AHEAD / 2) for (const resume of this.#onRoom.splice(0)) resume();
    } else if (this.reason?.kind === "closed") {
      controller.close();
    } else if (this.reason !== undefined) {
      controller.error(closedError(this.reason, "unknown"));
    }
  }

  #add(message: JsonRpcMessage): void {
    this.#messages.push(message);
    this.#wake();
  }

  #wake(): void {
    this.#onMessage?.();
    this.#onMessage = undefined;
  }
}
