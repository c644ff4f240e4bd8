// The list of sessions, read again from time to time.

import type { SandboxAgent } from "../client.ts";
import type { Session as SessionInfo } from "../generated/openapi.gen.ts";
import type { CreateOptions, SessionsQuery } from "../sessions/sessions.ts";
import { Polling } from "./polling.ts";
import { BaseStore, handled, LOADING, type Loading, READY } from "./store.ts";

export interface SessionsSnapshot {
  readonly loading: Loading;
  /** The newest session first. A session that has not changed keeps its identity. */
  readonly sessions: readonly SessionInfo[];
  readonly hasMore: boolean;
}

export interface SessionsStoreOptions extends Omit<SessionsQuery, "after"> {
  /** Milliseconds between two requests, 5,000 by default; 0 reads the list once. */
  refreshMs?: number | undefined;
}

const PAGE = 100;

export class SessionsStore extends BaseStore<SessionsSnapshot> {
  readonly #client: SandboxAgent;
  readonly #query: SessionsQuery;
  readonly #polling: Polling;
  #wanted: number;

  constructor(client: SandboxAgent, options: SessionsStoreOptions = {}) {
    super({ loading: LOADING, sessions: [], hasMore: false });
    const { refreshMs = 5_000, ...query } = options;
    this.#client = client;
    this.#query = query;
    this.#wanted = query.limit ?? PAGE;
    this.#polling = new Polling(refreshMs, (signal) => this.#read(signal));
  }

  /** Reads the list now. Resolves when it has been read, or the attempt failed. */
  readonly refresh = (): Promise<void> => this.#polling.refresh();

  /** Reads further sessions. */
  readonly loadMore = (): Promise<void> => {
    this.#wanted += this.#query.limit ?? PAGE;
    return this.refresh();
  };

  /** Creates a session and reads the list again. Resolves with the id of the session. */
  readonly create = (options: CreateOptions): Promise<string> =>
    handled(
      this.#client.sessions.create(options).then((session) => {
        void this.refresh();
        return session.id;
      }),
    );

  /** Deletes a session with its history and reads the list again. */
  readonly remove = (id: string): Promise<void> =>
    handled(
      this.#client.sessions.get(id).then(async (session) => {
        await session.delete();
        void this.refresh();
      }),
    );

  protected override run(signal: AbortSignal): Promise<void> {
    return this.#polling.run(signal);
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const { sessions, hasMore } = await this.#readAll(signal);
      const known = new Map(this.getSnapshot().sessions.map((session) => [session.sessionId, session]));
      const next = sessions.map((session) => same(known.get(session.sessionId), session));
      const before = this.getSnapshot().sessions;
      const isSame = next.length === before.length && next.every((session, at) => session === before[at]);
      this.update({ sessions: isSame ? before : next, hasMore, loading: READY });
    } catch (error) {
      if (!signal.aborted) this.update({ loading: { state: "failed", error } });
    }
  }

  async #readAll(signal: AbortSignal): Promise<{ sessions: SessionInfo[]; hasMore: boolean }> {
    const sessions: SessionInfo[] = [];
    let after: string | undefined;
    do {
      const limit = Math.min(this.#wanted - sessions.length, 1_000);
      const query = { ...this.#query, limit, ...(after === undefined ? {} : { after }) };
      const page = await this.#client.sessions.page(query, { signal });
      sessions.push(...page.sessions);
      after = page.hasMore ? page.next : undefined;
    } while (after !== undefined && sessions.length < this.#wanted);
    return { sessions, hasMore: after !== undefined };
  }
}

function same(before: SessionInfo | undefined, now: SessionInfo): SessionInfo {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}
