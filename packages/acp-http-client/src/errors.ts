// Why a message was not delivered or not answered.

import type { AgentExit, CloseReason } from "./events.ts";
import { INTERNAL_ERROR, type JsonRpcErrorObject } from "./jsonrpc.ts";
import { parseRetryAfter } from "./sse/errors.ts";

/** The agent may have acted on a message with the outcome `unknown`. One that is `not-sent` can be sent again safely. */
export type Outcome = "not-sent" | "unknown";

/** A failure of the transport. Every failure of this package is one, except for errors that the agent answers with. */
export class AcpTransportError extends Error {
  override readonly name: string = "AcpTransportError";
  readonly outcome: Outcome;

  constructor(message: string, outcome: Outcome, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}

/** The server, or a gateway before it, answered with a status that is no success. */
export class HttpStatusError extends AcpTransportError {
  override readonly name = "HttpStatusError";
  readonly status: number;
  /** Start of the body, at most 64 KiB. */
  readonly body: string;
  readonly headers: Headers;
  /** Wait that the server asks for with `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, headers: Headers, body: string, what: string) {
    // A gateway may have forwarded the message before it gave up.
    super(`${what} failed with status ${status}`, status === 502 || status === 504 ? "unknown" : "not-sent");
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.retryAfterMs = parseRetryAfter(headers.get("Retry-After"));
  }
}

/** The network failed before the server answered, or the answer did not come in time. */
export class DeliveryError extends AcpTransportError {
  override readonly name = "DeliveryError";
}

/** The server answered with something that is no JSON-RPC response. */
export class ProtocolError extends AcpTransportError {
  override readonly name = "ProtocolError";
}

/** The agent ended before it answered. */
export class AgentExitedError extends AcpTransportError {
  override readonly name = "AgentExitedError";
  readonly exit: AgentExit;

  constructor(exit: AgentExit) {
    super(`the agent ended with ${exit.signal ?? `code ${exit.code ?? "unknown"}`}`, "unknown");
    this.exit = exit;
  }
}

/** Messages were lost, and the response may have been one of them. */
export class ResponseLostError extends AcpTransportError {
  override readonly name = "ResponseLostError";

  constructor() {
    super("messages were lost while the stream was interrupted; the response may be one of them", "unknown");
  }
}

/** The connection is closed. */
export class ConnectionClosedError extends AcpTransportError {
  override readonly name = "ConnectionClosedError";
  readonly reason: CloseReason;

  constructor(reason: CloseReason, outcome: Outcome) {
    super(`the connection is closed: ${describe(reason)}`, outcome, { cause: causeOf(reason) });
    this.reason = reason;
  }
}

/** More messages are waiting to be sent, or to be read, than the limit allows. */
export class OverflowError extends AcpTransportError {
  override readonly name = "OverflowError";
}

/** The agent answered with an error. */
export class JsonRpcError extends Error {
  override readonly name = "JsonRpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** Returns the error as a member of a response. */
  toObject(): JsonRpcErrorObject {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** Returns the error for requests that a closed connection leaves unanswered. */
export function closedError(reason: CloseReason, outcome: Outcome): AcpTransportError {
  return reason.kind === "exit"
    ? new AgentExitedError(reason.exit)
    : new ConnectionClosedError(reason, outcome);
}

/** Returns a failure of the transport in the form in which an agent would report it. */
export function toErrorObject(error: AcpTransportError): JsonRpcErrorObject {
  const { name, message, outcome } = error;
  const details: Record<string, unknown> = { name, outcome };
  if (error instanceof HttpStatusError) Object.assign(details, { status: error.status, body: error.body });
  if (error instanceof AgentExitedError) Object.assign(details, { exit: error.exit });
  return { code: INTERNAL_ERROR, message, data: details };
}

function describe(reason: CloseReason): string {
  switch (reason.kind) {
    case "closed":
      return "close() was called";
    case "aborted":
      return "its signal aborted";
    case "exit":
      return "the agent ended";
    case "gone":
    case "failed":
      return reason.error.message;
  }
}

function causeOf(reason: CloseReason): unknown {
  if (reason.kind === "aborted") return reason.cause;
  return reason.kind === "gone" || reason.kind === "failed" ? reason.error : undefined;
}
