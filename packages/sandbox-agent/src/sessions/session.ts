// A session: one conversation with an agent.

import { ConflictError } from "../errors/problems.ts";
import type {
  CancelResult,
  EventPage,
  ForkSession,
  InputPart,
  MessageAccepted,
  PermissionReply,
  PostMessage,
  Session as SessionInfo,
  SessionPatch,
  TranscriptPage,
  UniversalEvent,
} from "../generated/openapi.gen.ts";
import type { Http, RequestOptions } from "../http/http.ts";
import { type EventOptions, type EventPageQuery, events, selection } from "./events.ts";
import type { PermissionHandler, QuestionHandler } from "./prompts.ts";
import { Turn, type TurnOrigin } from "./turn.ts";

/** Options of `session.send`. */
export interface SendOptions {
  /** `queue` (the default) waits for earlier messages; `interrupt` cancels the running turn first. */
  delivery?: "queue" | "interrupt";
  /** Makes it safe to send the same message again, also from another process. Chosen at random by default. */
  idempotencyKey?: string;
  /** Ends this client's part: the request, the iteration and `done`. The turn itself continues; see `turn.cancel`. */
  signal?: AbortSignal;
}

/** Query of a page of the transcript. */
export interface MessagesQuery {
  /** `next` of the page before. */
  after?: number;
  /** Messages per page, 100 by default and 1000 at most. */
  limit?: number;
  /** `asc` (the default) starts with the oldest message, `desc` with the newest. */
  order?: "asc" | "desc";
}

/** Handlers for what the agent asks, shared by the turns of a session. */
export interface Handlers {
  permission: PermissionHandler | undefined;
  question: QuestionHandler | undefined;
}

/** A conversation with an agent. Get one from `client.sessions`. */
export class Session {
  readonly id: string;
  readonly #http: Http;
  readonly #handlers: Handlers = { permission: undefined, question: undefined };
  #info: SessionInfo;

  /** @internal */
  constructor(http: Http, info: SessionInfo) {
    this.id = info.sessionId;
    this.#http = http;
    this.#info = info;
  }

  /** State of the session as of the last answer that contained it. `refresh` gets the current state. */
  get info(): SessionInfo {
    return this.#info;
  }

  /** Gets the current state. */
  async refresh(options: RequestOptions = {}): Promise<SessionInfo> {
    return this.#keep(await this.#http.json("GET", this.#path(), options));
  }

  /** Changes the title, mode, model, metadata and other settings. Fields that are absent stay as they are. */
  async update(patch: SessionPatch, options: RequestOptions = {}): Promise<SessionInfo> {
    const call = { timeoutMs: 0, ...options, json: patch, repeatable: true };
    return this.#keep(await this.#http.json("PATCH", this.#path(), call));
  }

  /**
   * Sends a message. The request starts at once; the returned turn gives its events and its result.
   *
   * @example
   * const turn = session.send("Fix the failing test");
   * for await (const event of turn) render(event);
   * const { text, stopReason } = await turn.done;
   */
  send(message: string | InputPart[], options: SendOptions = {}): Turn {
    const { delivery, signal, idempotencyKey = crypto.randomUUID() } = options;
    const content = typeof message === "string" ? { message } : { parts: message };
    const json: PostMessage = delivery === undefined ? content : { ...content, delivery };
    const post = (): Promise<MessageAccepted> => {
      const headers = { "Idempotency-Key": idempotencyKey };
      return this.#http.json("POST", this.#path("/messages"), { json, headers, signal, repeatable: true });
    };
    return this.#follow({ kind: "sent", post, signal });
  }

  /**
   * Returns the turn that is running, or the one with this id if it is running or queued, so that a client that
   * comes back can follow it. The state is as of `info`; call `refresh` first if it may be old.
   */
  turn(turnId?: string): Turn | undefined {
    const { turn, queue, lastEventId } = this.#info;
    const info = this.#info;
    if (turn !== undefined && (turnId === undefined || turn.turnId === turnId)) {
      const { messageId = "", eventsAfter } = turn;
      const accepted = { turnId: turn.turnId, messageId, eventId: eventsAfter + 1, queued: 0 };
      return this.#follow({ kind: "found", accepted, info });
    }
    const place = queue.findIndex((message) => message.turnId === turnId);
    const waiting = queue[place];
    if (waiting === undefined) return undefined;
    return this.#follow({
      kind: "found",
      accepted: { ...waiting, eventId: lastEventId + 1, queued: place + 1 },
      info,
    });
  }

  /**
   * Iterates over the events of the session, from the first one or after `after`, and continues with new ones. A
   * connection that breaks is resumed without losing or repeating an event. Ends after the event `ended`.
   */
  events(options: EventOptions = {}): AsyncIterableIterator<UniversalEvent> {
    return events(this.#http, this.id, options);
  }

  /** Gets a page of events. */
  async eventPage(query: EventPageQuery = {}, options: RequestOptions = {}): Promise<EventPage> {
    const { after, limit } = query;
    const call = { ...options, query: { after, limit, ...selection(query) } };
    return this.#http.json("GET", this.#path("/events"), call);
  }

  /** Gets a page of the transcript: whole messages in their newest state. */
  async messages(query: MessagesQuery = {}, options: RequestOptions = {}): Promise<TranscriptPage> {
    return this.#http.json("GET", this.#path("/messages"), { ...options, query: { ...query } });
  }

  /** Handles permission requests of the turns that this client sends or follows. Set it before. Returns a function that removes the handler. */
  onPermission(handler: PermissionHandler): () => void {
    this.#handlers.permission = handler;
    return () => {
      if (this.#handlers.permission === handler) this.#handlers.permission = undefined;
    };
  }

  /** Handles questions, plan approvals included, of the turns that this client sends or follows. Set it before. Returns a function that removes the handler. */
  onQuestion(handler: QuestionHandler): () => void {
    this.#handlers.question = handler;
    return () => {
      if (this.#handlers.question === handler) this.#handlers.question = undefined;
    };
  }

  /** Decides on a permission request. Returns false if it was decided before. */
  async replyPermission(id: string, reply: PermissionReply, options: RequestOptions = {}): Promise<boolean> {
    return this.#decide(`/permissions/${encodeURIComponent(id)}/reply`, reply, options);
  }

  /** Answers a question with one list for each of its parts. Returns false if it was decided before. */
  async replyQuestion(
    id: string,
    answers: string[][],
    options: RequestOptions & { client?: string | undefined } = {},
  ): Promise<boolean> {
    const { client, ...rest } = options;
    return this.#decide(`/questions/${encodeURIComponent(id)}/reply`, { answers, client }, rest);
  }

  /** Declines to answer a question. Returns false if it was decided before. */
  async rejectQuestion(id: string, options: RequestOptions = {}): Promise<boolean> {
    return this.#decide(`/questions/${encodeURIComponent(id)}/reject`, undefined, options);
  }

  /** Stops the running turn and withdraws all queued messages. */
  async cancel(options: RequestOptions = {}): Promise<CancelResult> {
    return this.#http.json("POST", this.#path("/cancel"), options);
  }

  /** Withdraws a queued message. Throws a `ConflictError` (`begun`) if its turn has begun. */
  async withdraw(messageId: string, options: RequestOptions = {}): Promise<void> {
    await this.#http.empty("DELETE", this.#path(`/messages/${encodeURIComponent(messageId)}`), options);
  }

  /** Gives queued messages each other's places, so that they begin in this order. Messages that are not queued are ignored. */
  async reorder(messageIds: readonly string[], options: RequestOptions = {}): Promise<SessionInfo> {
    const call = { ...options, json: { messageIds } };
    return this.#keep(await this.#http.json("PUT", this.#path("/queue"), call));
  }

  /** Continues after a restart of the daemon: starts the agent and releases messages that were held. */
  async resume(options: RequestOptions = {}): Promise<SessionInfo> {
    const call = { timeoutMs: 0, ...options, repeatable: true };
    return this.#keep(await this.#http.json("POST", this.#path("/resume"), call));
  }

  /** Copies the session, where the agent can do that. */
  async fork(fork: ForkSession = {}, options: RequestOptions = {}): Promise<Session> {
    const call = { timeoutMs: 0, ...options, json: fork };
    return new Session(this.#http, await this.#http.json("POST", this.#path("/fork"), call));
  }

  /** Exports the session as lines of JSON, for `client.sessions.import`. */
  async export(options: RequestOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const headers = { Accept: "application/x-ndjson" };
    return this.#http.stream("GET", this.#path("/export"), { ...options, headers });
  }

  /** Ends the session and its agent. The history stays. */
  async terminate(options: RequestOptions = {}): Promise<SessionInfo> {
    return this.#keep(
      await this.#http.json("POST", this.#path("/terminate"), { ...options, repeatable: true }),
    );
  }

  /** Deletes the session with its history. */
  async delete(options: RequestOptions = {}): Promise<void> {
    await this.#http.empty("DELETE", this.#path(), options);
  }

  #path(rest = ""): string {
    return `/v1/sessions/${encodeURIComponent(this.id)}${rest}`;
  }

  #keep(info: SessionInfo): SessionInfo {
    this.#info = info;
    return info;
  }

  #follow(origin: TurnOrigin): Turn {
    return new Turn(this, this.#http, this.#handlers, origin);
  }

  async #decide(rest: string, json: unknown, options: RequestOptions): Promise<boolean> {
    try {
      await this.#http.empty("POST", this.#path(rest), { ...options, json });
      return true;
    } catch (error) {
      if (error instanceof ConflictError && error.what === "resolved") return false;
      throw error;
    }
  }
}
