// Facts about a transport, apart from the messages that it carries.

import type { AcpTransportError } from "./errors.ts";
import type { JsonRpcMessage } from "./jsonrpc.ts";

/** How an agent's process ended. */
export interface AgentExit {
  code: number | null;
  signal: string | null;
  /** Last lines of its standard error. */
  stderrTail: string;
}

/** Messages may have been lost. Pending requests whose response may be among them have failed. */
export interface GapEvent {
  type: "gap";
  /** Oldest event that the server still has, if it says so. */
  oldest: number | undefined;
  newest: number | undefined;
  /** Session whose stream has the gap; `undefined` if the stream is not of one session. */
  sessionId: string | undefined;
}

/** The agent ended. The connection closes. */
export interface ExitEvent {
  type: "exit";
  exit: AgentExit;
}

/** The agent wrote a line that is no message. */
export interface UnparsedEvent {
  type: "unparsed";
  /** The line, possibly cut. */
  raw: string;
  bytes: number | undefined;
  truncated: boolean;
  reason: string | undefined;
}

/** A stream or socket broke. Another attempt follows after `delayMs`. */
export interface ReconnectingEvent {
  type: "reconnecting";
  cause: unknown;
  delayMs: number;
  sessionId: string | undefined;
}

/** A stream or socket that broke is open again. */
export interface ReconnectedEvent {
  type: "reconnected";
  sessionId: string | undefined;
}

/** A notification or a response could not be delivered. Requests fail instead. */
export interface UndeliveredEvent {
  type: "undelivered";
  message: JsonRpcMessage;
  error: AcpTransportError;
}

/** The server sent an event or an answer that this package does not know. */
export interface UnknownEvent {
  type: "unknown";
  event: string;
  data: string;
}

/** The connection ended. No event follows. */
export interface ClosedEvent {
  type: "closed";
  reason: CloseReason;
}

export type TransportEvent =
  | GapEvent
  | ExitEvent
  | UnparsedEvent
  | ReconnectingEvent
  | ReconnectedEvent
  | UndeliveredEvent
  | UnknownEvent
  | ClosedEvent;

/** Why a connection ended. */
export type CloseReason =
  /** `close()` was called, or the stream was canceled. */
  | { kind: "closed" }
  /** The signal of the connection aborted. */
  | { kind: "aborted"; cause: unknown }
  /** The agent ended. */
  | { kind: "exit"; exit: AgentExit }
  /** The server does not have the connection anymore, for example because it was restarted. */
  | { kind: "gone"; error: AcpTransportError }
  /** The server refused the stream, or stayed unreachable. */
  | { kind: "failed"; error: AcpTransportError };
