// Errors of `SandboxAgentClient`, and how failures of the connection become them.

import {
  AcpTransportError,
  AgentExitedError,
  ConnectionClosedError,
  HttpStatusError,
  JsonRpcError,
} from "acp-http-client";
import { ConnectionError, SandboxAgentError } from "../errors/errors.ts";
import { isProblem, problemError } from "../errors/problems.ts";

/** The client is not connected: `connect` was not called or failed, or `disconnect` was called. */
export class NotConnectedError extends SandboxAgentError {
  override name = "NotConnectedError";

  constructor(options?: ErrorOptions) {
    super("the client is not connected; call connect first", options);
  }
}

/** The client is connected, or is connecting, already. */
export class AlreadyConnectedError extends SandboxAgentError {
  override name = "AlreadyConnectedError";

  constructor() {
    super("the client is connected already; call disconnect first");
  }
}

/** How the agent's process ended. */
export interface AgentExitInfo {
  readonly code: number | null;
  readonly signal: string | null;
  /** End of its standard error. */
  readonly stderrTail: string;
}

/** The agent ended before it answered. The next call starts it again. */
export class AgentEndedError extends SandboxAgentError {
  override name = "AgentEndedError";
  readonly exit: AgentExitInfo;

  constructor(exit: AgentExitInfo, options?: ErrorOptions) {
    super(`the agent ended with ${exit.signal ?? `code ${exit.code ?? "unknown"}`}`, options);
    this.exit = exit;
  }
}

/** The agent refused a call. */
export class AgentCallError extends SandboxAgentError {
  override name = "AgentCallError";
  /** Code that the agent gave, such as -32601 for a call that it does not have. */
  readonly code: number;
  readonly details: unknown;

  constructor(error: JsonRpcError) {
    super(error.message, { cause: error });
    this.code = error.code;
    this.details = error.data;
  }
}

/** The agent cannot do what was asked. */
export class UnsupportedCallError extends SandboxAgentError {
  override name = "UnsupportedCallError";
}

/** Returns the error of this package for one of the connection. The reason of an aborted signal stays as it is. */
export function clientError(error: unknown): unknown {
  if (error instanceof AgentExitedError) return new AgentEndedError(error.exit, { cause: error });
  if (error instanceof JsonRpcError && isExit(error.data))
    return new AgentEndedError(error.data, { cause: error });
  if (error instanceof JsonRpcError)
    return isProblem(error.data) ? problemError(error.data) : new AgentCallError(error);
  if (error instanceof HttpStatusError) return statusError(error);
  if (error instanceof ConnectionClosedError && error.reason.kind === "closed") {
    return new NotConnectedError({ cause: error });
  }
  if (error instanceof ConnectionClosedError && error.cause instanceof HttpStatusError)
    return statusError(error.cause);
  if (error instanceof AcpTransportError) return new ConnectionError(error.message, { cause: error });
  return error;
}

/** The daemon answers for an agent that ended, with how it did. */
function isExit(data: unknown): data is AgentExitInfo {
  return (
    typeof data === "object" && data !== null && "code" in data && "signal" in data && "stderrTail" in data
  );
}

function statusError(error: HttpStatusError): unknown {
  try {
    const problem: unknown = JSON.parse(error.body);
    if (isProblem(problem)) return problemError(problem, error.headers.get("X-Request-Id") ?? undefined);
  } catch {
    // The body is from a gateway.
  }
  return new ConnectionError(error.message, { cause: error });
}
