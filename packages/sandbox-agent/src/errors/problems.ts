// One error class for each problem code of the daemon, so that callers can use `instanceof`.

import type { Problem } from "../generated/openapi.gen.ts";
import { SandboxAgentError } from "./errors.ts";

/** The beginning of a problem's type; its code follows. */
export const URN = "urn:sandbox-agent:error:";

/** An error that the daemon reported. Each code has its own subclass. */
export class ProblemError extends SandboxAgentError {
  override name = "ProblemError";
  /** HTTP status. */
  readonly status: number;
  /** Code of the problem, such as `not_found`. */
  readonly code: string;
  /** The problem as the daemon sent it. */
  readonly problem: Problem;
  /** Id of the request in the log of the daemon. */
  readonly requestId: string | undefined;

  constructor(problem: Problem, requestId: string | undefined) {
    super(problem.detail);
    this.status = problem.status;
    this.code = problem.type.slice(URN.length);
    this.problem = problem;
    this.requestId = requestId;
  }

  /** Details for programs, by code. */
  get details(): Record<string, unknown> {
    return this.problem.details ?? {};
  }
}

/** The request is malformed. */
export class InvalidRequestError extends ProblemError {
  override name = "InvalidRequestError";
}

/** No agent has this id. */
export class UnsupportedAgentError extends ProblemError {
  override name = "UnsupportedAgentError";
}

/** The token is missing or wrong. */
export class TokenInvalidError extends ProblemError {
  override name = "TokenInvalidError";
}

/** The host or origin is not allowed, or the system denies access. */
export class PermissionDeniedError extends ProblemError {
  override name = "PermissionDeniedError";
}

/** The resource does not exist. */
export class NotFoundError extends ProblemError {
  override name = "NotFoundError";
}

/** The agent has to be installed first. */
export class AgentNotInstalledError extends ProblemError {
  override name = "AgentNotInstalledError";
}

/** No source has this version of the agent. */
export class VersionNotFoundError extends ProblemError {
  override name = "VersionNotFoundError";
}

/** The path does not support the method. */
export class MethodNotAllowedError extends ProblemError {
  override name = "MethodNotAllowedError";
}

/** The operation has no representation that the client accepts. */
export class NotAcceptableError extends ProblemError {
  override name = "NotAcceptableError";
}

/** The request body stalled. */
export class RequestTimeoutError extends ProblemError {
  override name = "RequestTimeoutError";
}

/** The request conflicts with the current state; `what` says how. */
export class ConflictError extends ProblemError {
  override name = "ConflictError";

  /** Reason of a conflict of a session: `exists`, `notStarted`, `ended`, `resolved`, `begun` or `keyReused`. */
  get what(): string | undefined {
    const what = this.details["what"];
    return typeof what === "string" ? what : undefined;
  }
}

/** A condition of the request does not hold, such as an ETag. */
export class PreconditionFailedError extends ProblemError {
  override name = "PreconditionFailedError";
}

/** The body exceeds the limit. */
export class PayloadTooLargeError extends ProblemError {
  override name = "PayloadTooLargeError";
}

/** The operation does not take this content type. */
export class UnsupportedMediaTypeError extends ProblemError {
  override name = "UnsupportedMediaTypeError";
}

/** The file has no byte in the range. */
export class RangeNotSatisfiableError extends ProblemError {
  override name = "RangeNotSatisfiableError";
}

/** The agent is not built for this machine. */
export class UnsupportedPlatformError extends ProblemError {
  override name = "UnsupportedPlatformError";
}

/** A value is well formed but cannot be used, such as a directory that does not exist. */
export class InvalidValueError extends ProblemError {
  override name = "InvalidValueError";
}

/** The agent does not support it. */
export class UnsupportedError extends ProblemError {
  override name = "UnsupportedError";
}

/** An answer is out of the bounds of its question. */
export class InvalidAnswerError extends ProblemError {
  override name = "InvalidAnswerError";
}

/** The provider does not accept the credentials, or there are none. */
export class CredentialsRefusedError extends ProblemError {
  override name = "CredentialsRefusedError";
}

/** The agent cannot be started on this machine. */
export class AgentNotStartableError extends ProblemError {
  override name = "AgentNotStartableError";
}

/** A limit is reached, such as the number of queued messages. */
export class TooManyRequestsError extends ProblemError {
  override name = "TooManyRequestsError";
}

/** The daemon has a bug. */
export class InternalError extends ProblemError {
  override name = "InternalError";
}

/** The agent process exited. */
export class AgentProcessExitedError extends ProblemError {
  override name = "AgentProcessExitedError";
}

/** The agent could not be started. */
export class SpawnFailedError extends ProblemError {
  override name = "SpawnFailedError";
}

/** No source could provide the agent. */
export class InstallFailedError extends ProblemError {
  override name = "InstallFailedError";
}

/** The model's provider did not answer. */
export class ProviderUnreachableError extends ProblemError {
  override name = "ProviderUnreachableError";
}

/** The agent did not report its models or modes. */
export class InquiryFailedError extends ProblemError {
  override name = "InquiryFailedError";
}

/** The agent answered with an error. */
export class AgentRefusedError extends ProblemError {
  override name = "AgentRefusedError";
}

/** The connection to the agent failed. */
export class StreamFailedError extends ProblemError {
  override name = "StreamFailedError";
}

/** The daemon is stopping. */
export class ShuttingDownError extends ProblemError {
  override name = "ShuttingDownError";
}

/** The sandbox has no file descriptor, thread, process or memory to spare. */
export class ResourceExhaustedError extends ProblemError {
  override name = "ResourceExhaustedError";
}

/** The agent was silent for too long. */
export class AgentSilentError extends ProblemError {
  override name = "AgentSilentError";
}

/** The disk is full. */
export class InsufficientStorageError extends ProblemError {
  override name = "InsufficientStorageError";
}

/** Class of each code. */
const CLASSES = {
  invalid_request: InvalidRequestError,
  unsupported_agent: UnsupportedAgentError,
  token_invalid: TokenInvalidError,
  permission_denied: PermissionDeniedError,
  not_found: NotFoundError,
  agent_not_installed: AgentNotInstalledError,
  version_not_found: VersionNotFoundError,
  method_not_allowed: MethodNotAllowedError,
  not_acceptable: NotAcceptableError,
  request_timeout: RequestTimeoutError,
  conflict: ConflictError,
  precondition_failed: PreconditionFailedError,
  payload_too_large: PayloadTooLargeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  range_not_satisfiable: RangeNotSatisfiableError,
  unsupported_platform: UnsupportedPlatformError,
  invalid_value: InvalidValueError,
  unsupported: UnsupportedError,
  invalid_answer: InvalidAnswerError,
  credentials_refused: CredentialsRefusedError,
  agent_not_startable: AgentNotStartableError,
  too_many_requests: TooManyRequestsError,
  internal: InternalError,
  agent_process_exited: AgentProcessExitedError,
  spawn_failed: SpawnFailedError,
  install_failed: InstallFailedError,
  provider_unreachable: ProviderUnreachableError,
  inquiry_failed: InquiryFailedError,
  agent_refused: AgentRefusedError,
  stream_error: StreamFailedError,
  shutting_down: ShuttingDownError,
  resource_exhausted: ResourceExhaustedError,
  timeout: AgentSilentError,
  insufficient_storage: InsufficientStorageError,
} satisfies Record<string, typeof ProblemError>;

/** Codes of the problems that this version of the SDK knows. */
export type ProblemCode = keyof typeof CLASSES;

/** Returns the error for a problem. A code that this version does not know becomes a plain `ProblemError`. */
export function problemError(problem: Problem, requestId?: string): ProblemError {
  const code = problem.type.slice(URN.length);
  const Class: typeof ProblemError = Object.hasOwn(CLASSES, code)
    ? CLASSES[code as ProblemCode]
    : ProblemError;
  return new Class(problem, requestId);
}

/** Returns whether a value has the form of a problem of the daemon. */
export function isProblem(value: unknown): value is Problem {
  const { type, detail, status } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof type === "string" &&
    type.startsWith(URN) &&
    typeof detail === "string" &&
    typeof status === "number"
  );
}
