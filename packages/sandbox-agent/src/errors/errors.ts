// The errors that every part of the SDK throws.

/** Base of all errors of this package. */
export class SandboxAgentError extends Error {
  override name = "SandboxAgentError";
}

/** The daemon could not be reached, or the connection broke. `cause` has the error of the runtime. */
export class ConnectionError extends SandboxAgentError {
  override name = "ConnectionError";
}

/** A call took longer than its `timeoutMs`. */
export class TimeoutError extends SandboxAgentError {
  override name = "TimeoutError";
}

/** An answer that is not from a daemon, such as the error page of a gateway. */
export class UnexpectedResponseError extends SandboxAgentError {
  override name = "UnexpectedResponseError";
  readonly status: number;
  /** Start of the body, at most 500 characters. */
  readonly body: string;

  constructor(message: string, status: number, body: string) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

/** Events were dropped from a log before this client read them. */
export class GapError extends SandboxAgentError {
  override name = "GapError";
  /** Oldest event that can still be read. */
  readonly oldest: number;
  readonly newest: number;

  constructor(gap: { oldest: number; newest: number }) {
    super(`events before ${gap.oldest} are gone; pass onGap to continue`);
    this.oldest = gap.oldest;
    this.newest = gap.newest;
  }
}

/** A handler of permissions or questions, or a listener, threw. `cause` is its error; a request was rejected. */
export class HandlerError extends SandboxAgentError {
  override name = "HandlerError";
}
