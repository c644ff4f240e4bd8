// The storage that a driver provides: records of sessions, and a log of events for each.

/** The part of a record that a writer provides. */
export interface SessionFields {
  readonly id: string;
  /** Id of the agent, such as `claude`. */
  readonly agent: string;
  readonly title?: string | undefined;
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
  readonly cwd?: string | undefined;
  /** Anything of the application, as JSON. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** RFC 3339 in UTC with milliseconds, as are all times here. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Present if the session has ended. */
  readonly endedAt?: string | undefined;
  /** State that the writer needs to continue, as JSON. Readers should not depend on it. */
  readonly state: Readonly<Record<string, unknown>>;
  /** Number of the writer. Appends by a writer with another number are refused, so that a lost machine cannot write later. */
  readonly fence: number;
}

/** A stored session: the fields of its writer, and the counts of the driver. */
export interface SessionRecord extends SessionFields {
  /** Grows with every `put`. */
  readonly revision: number;
  /** Events in the log now. */
  readonly eventCount: number;
  /** Oldest and newest event of the log; 0 if there never was one. */
  readonly firstSequence: number;
  readonly lastSequence: number;
}

/** An event of a log. */
export interface StoredEvent {
  /** Place in the log. Sequences have no holes. */
  readonly sequence: number;
  readonly createdAt: string;
  /** Anything, as JSON. */
  readonly data: unknown;
}

export interface ListQuery {
  /** Records per page, 100 by default and 1000 at most. */
  limit?: number | undefined;
  /** `next` of the page before. */
  after?: string | undefined;
}

export interface SessionRecordPage {
  readonly sessions: readonly SessionRecord[];
  /** Cursor of the next page; absent on the last one. */
  readonly next?: string;
}

export interface ReadQuery {
  /** Sequence to continue after; 0, the beginning, by default. */
  after?: number | undefined;
  /** Events at most, 1000 by default. */
  limit?: number | undefined;
}

export interface AppendOptions {
  /** Number of the writer. The append is refused with a `FencedError` unless the record has the same. */
  fence?: number | undefined;
}

/**
 * Stores sessions and their events. Every call is atomic, also with several processes on one database. Values are copied:
 * changing an object later changes nothing in the store.
 */
export interface PersistDriver extends AsyncDisposable {
  /** Gets a record. */
  get(id: string): Promise<SessionRecord | undefined>;

  /** Lists records, the newest first by `createdAt`. */
  list(query?: ListQuery): Promise<SessionRecordPage>;

  /**
   * Creates a record (`revision` 0) or replaces what its writer said. Throws a `RevisionConflictError` if the record is not
   * at that revision. Counts and events stay as they are.
   */
  put(session: SessionFields, revision: number): Promise<SessionRecord>;

  /** Deletes a record with its events. Does nothing if it does not exist. */
  delete(id: string): Promise<void>;

  /**
   * Appends consecutive events. Events that are stored already are skipped, so an append may be repeated. Throws a
   * `SequenceGapError` if events are missing in between, and an `EventConflictError` if a stored one differs.
   */
  append(id: string, events: readonly StoredEvent[], options?: AppendOptions): Promise<SessionRecord>;

  /** Reads events in order. Throws an `UnknownSessionError` if there is no such record. */
  read(id: string, query?: ReadQuery): Promise<readonly StoredEvent[]>;

  /** Releases what the driver itself opened. A database that was passed in stays open. */
  close(): Promise<void>;
}
