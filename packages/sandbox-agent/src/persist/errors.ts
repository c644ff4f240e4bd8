// Errors of persist drivers.

import { SandboxAgentError } from "../errors/errors.ts";

/** A driver failed. `cause` has the error of the database. */
export class PersistError extends SandboxAgentError {
  override name = "PersistError";
}

/** The store has no such session. */
export class UnknownSessionError extends PersistError {
  override name = "UnknownSessionError";
  readonly sessionId: string;

  constructor(sessionId: string) {
    super(`session '${sessionId}' is not in the store`);
    this.sessionId = sessionId;
  }
}

/** Somebody else changed the record first. Read it again and repeat the change. */
export class RevisionConflictError extends PersistError {
  override name = "RevisionConflictError";
  readonly sessionId: string;
  readonly expected: number;

  constructor(sessionId: string, expected: number) {
    super(
      expected === 0
        ? `session '${sessionId}' is in the store already`
        : `session '${sessionId}' is no longer at revision ${expected}`,
    );
    this.sessionId = sessionId;
    this.expected = expected;
  }
}

/** Events are missing between the log and what was to be appended. Nothing was appended. */
export class SequenceGapError extends PersistError {
  override name = "SequenceGapError";
  readonly sessionId: string;
  readonly expected: number;
  readonly received: number;

  constructor(sessionId: string, expected: number, received: number) {
    super(`events of session '${sessionId}' are missing: expected ${expected}, received ${received}`);
    this.sessionId = sessionId;
    this.expected = expected;
    this.received = received;
  }
}

/** The log has another event of that sequence: two sessions write to one log. Nothing was appended. */
export class EventConflictError extends PersistError {
  override name = "EventConflictError";
  readonly sessionId: string;
  readonly sequence: number;

  constructor(sessionId: string, sequence: number) {
    super(`event ${sequence} of session '${sessionId}' differs from the stored one`);
    this.sessionId = sessionId;
    this.sequence = sequence;
  }
}

/** Another writer has taken the session over. Nothing was appended. */
export class FencedError extends PersistError {
  override name = "FencedError";
  readonly sessionId: string;

  constructor(sessionId: string) {
    super(`session '${sessionId}' was taken over by another writer`);
    this.sessionId = sessionId;
  }
}

/** The database was written by a later version of this package. */
export class SchemaVersionError extends PersistError {
  override name = "SchemaVersionError";
  readonly found: number;
  readonly supported: number;

  constructor(found: number, supported: number) {
    super(`the store has schema version ${found}; this version of sandbox-agent supports up to ${supported}`);
    this.found = found;
    this.supported = supported;
  }
}
