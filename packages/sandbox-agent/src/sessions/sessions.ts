// The sessions of a daemon: create, find, list, import.

import { ConflictError } from "../errors/problems.ts";
import type {
  CreateSession,
  Session as SessionInfo,
  SessionList,
  SessionState,
} from "../generated/openapi.gen.ts";
import type { Http, RequestOptions } from "../http/http.ts";
import { Session } from "./session.ts";

/** Settings of a new session. Only `agent` is required. */
export interface CreateOptions extends CreateSession {
  /** Id of the session; chosen by the daemon by default. Creating a session that exists throws a `ConflictError`. */
  id?: string;
  /** Makes it safe to repeat the call, also from another process: the same key creates one session. */
  idempotencyKey?: string;
}

/** Which sessions to list. */
export interface SessionsQuery {
  /** States of the sessions, such as `["running", "requiresAction"]`. */
  state?: SessionState[];
  /** Ids of their agents. */
  agent?: string[];
  /** Members of their metadata; all must match. */
  metadata?: Record<string, string | number | boolean | null>;
  /** Sessions per request, 100 by default and 1000 at most. */
  limit?: number;
  /** `next` of the page to continue after. */
  after?: string;
  /** Returns `choices` of each session as well. */
  choices?: boolean;
}

export class Sessions {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Creates a session and starts its agent, which is installed first if it is missing. If the agent cannot be started,
   * the session exists with `info.healthy` false and the reason in `info.error`.
   */
  async create(options: CreateOptions, request: RequestOptions = {}): Promise<Session> {
    const { id, idempotencyKey = crypto.randomUUID(), ...json } = options;
    const call = { timeoutMs: 0, ...request, json };
    const info =
      id === undefined
        ? {
            path: "/v1/sessions",
            call: { ...call, headers: { "Idempotency-Key": idempotencyKey }, repeatable: true },
          }
        : { path: `/v1/sessions/${encodeURIComponent(id)}`, call };
    return new Session(this.#http, await this.#http.json("POST", info.path, info.call));
  }

  /** Gets a session. Throws a `NotFoundError` if it does not exist. */
  async get(id: string, request: RequestOptions = {}): Promise<Session> {
    return new Session(
      this.#http,
      await this.#http.json("GET", `/v1/sessions/${encodeURIComponent(id)}`, request),
    );
  }

  /**
   * Gets the session with this id, or creates it if it does not exist. The settings of a session that exists stay as they
   * are, so a server can call this for every request of a user's chat.
   */
  async getOrCreate(options: CreateOptions & { id: string }, request: RequestOptions = {}): Promise<Session> {
    try {
      return await this.create(options, request);
    } catch (error) {
      if (!(error instanceof ConflictError && error.what === "exists")) throw error;
      return await this.get(options.id, request);
    }
  }

  /** Iterates over all sessions, the newest first, page by page. */
  async *list(
    query: SessionsQuery = {},
    request: RequestOptions = {},
  ): AsyncGenerator<SessionInfo, void, undefined> {
    let after = query.after;
    do {
      const page = await this.page(after === undefined ? query : { ...query, after }, request);
      yield* page.sessions;
      after = page.hasMore ? page.next : undefined;
    } while (after !== undefined);
  }

  /** Gets one page of sessions. */
  async page(query: SessionsQuery = {}, request: RequestOptions = {}): Promise<SessionList> {
    const { metadata = {}, choices, ...rest } = query;
    const members = Object.entries(metadata).map(([key, value]) => `${key}:${value}`);
    const parameters = { ...rest, metadata: members, include: choices === true ? "choices" : undefined };
    return this.#http.json("GET", "/v1/sessions", { ...request, query: parameters });
  }

  /** Creates a session from the lines of `session.export`, under its old id or another one. */
  async import(
    lines: ReadableStream<Uint8Array> | Blob | string,
    options: { id?: string } & RequestOptions = {},
  ): Promise<Session> {
    const { id, ...request } = options;
    const headers = { "Content-Type": "application/x-ndjson" };
    const call = { timeoutMs: 0, ...request, headers, body: lines, query: { sessionId: id } };
    return new Session(this.#http, await this.#http.json("POST", "/v1/sessions/import", call));
  }
}
