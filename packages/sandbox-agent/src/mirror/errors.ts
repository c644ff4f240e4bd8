// Errors of mirrors.

import { SandboxAgentError } from "../errors/errors.ts";

/** The store has the log of another session under the same id. */
export class MirrorConflictError extends SandboxAgentError {
  override name = "MirrorConflictError";
  readonly sessionId: string;

  constructor(sessionId: string) {
    super(
      `the store has another session under the id '${sessionId}'; delete it there, or mirror to another store`,
    );
    this.sessionId = sessionId;
  }
}

/** The daemon dropped events before they were mirrored. The log in the store ends before them. */
export class MirrorGapError extends SandboxAgentError {
  override name = "MirrorGapError";
  readonly sessionId: string;
  /** Newest event of the store. */
  readonly stored: number;
  /** Oldest event that the daemon still has. */
  readonly oldest: number;

  constructor(sessionId: string, stored: number, oldest: number) {
    super(
      `events ${stored + 1} to ${oldest - 1} of session '${sessionId}' were dropped before they were mirrored`,
    );
    this.sessionId = sessionId;
    this.stored = stored;
    this.oldest = oldest;
  }
}

/** The store has nothing that a session could be restored from. */
export class NotRestorableError extends SandboxAgentError {
  override name = "NotRestorableError";
  readonly sessionId: string;

  constructor(sessionId: string, reason: string) {
    super(`session '${sessionId}' cannot be restored: ${reason}`);
    this.sessionId = sessionId;
  }
}

/** The mirror was stopped before the event was stored. */
export class MirrorStoppedError extends SandboxAgentError {
  override name = "MirrorStoppedError";

  constructor() {
    super("the mirror was stopped");
  }
}
