// The boundary between the connection and the ways to reach a server.

import type { AcpTransportError } from "./errors.ts";
import type { AgentExit, CloseReason, GapEvent, TransportEvent } from "./events.ts";
import type { JsonRpcMessage, JsonRpcResponse } from "./jsonrpc.ts";

/** Result of handing a message to a server. A message that was not delivered rejects with an `AcpTransportError`. */
export type Delivery =
  /** The message was sent, and this transport has no acknowledgments. `onUnconfirmed` reports if the connection breaks. */
  | { kind: "sent" }
  /** The server has it. A response comes through the sink. */
  | { kind: "delivered" }
  /** The server answered the request at once. */
  | { kind: "answered"; response: JsonRpcResponse }
  /** The connection broke while it was sent. A response may come through the sink. */
  | { kind: "unconfirmed"; error: AcpTransportError };

/** Receives from a transport. Implemented by the connection. */
export interface TransportSink {
  /** Takes a message. Resolves once there is room for the next one; waiting for it slows the server down. */
  onMessage(message: JsonRpcMessage): Promise<void>;
  /** Reports lost messages. Requests that may be affected fail. */
  onGap(gap: Omit<GapEvent, "type">): void;
  /** Reports that a session's stream failed. Its requests fail; other sessions are not affected. */
  onSessionLost(sessionId: string, error: AcpTransportError): void;
  /** Reports the end of the agent, after all its messages. */
  onExit(exit: AgentExit): void;
  /** Reports anything else. */
  onEvent(event: TransportEvent): void;
  /** Requests and answers that were sent on a connection without acknowledgments may not have arrived. */
  onUnconfirmed(error: AcpTransportError): void;
  /** Ends the connection. */
  onClosed(reason: CloseReason): void;
}

/** One way to reach a server. Used for one connection. */
export interface Transport {
  /** Other clients may use the same agent, so the ids of requests have to be unique among them. */
  readonly shared: boolean;
  /** Called once, before anything else. */
  open(sink: TransportSink): void;
  /**
   * Delivers a message. Messages are sent in the order of the calls. `accepted` is called once the next message cannot
   * overtake this one.
   */
  send(message: JsonRpcMessage, accepted: () => void): Promise<Delivery>;
  /**
   * Releases everything, at the latest when the signal aborts. With `end`, ends the connection at the server first; with
   * `release`, there is nothing left to end.
   */
  close(how: "end" | "release", signal: AbortSignal): Promise<void>;
}
