// One turn of a session: its events and its result.

import { ConflictError } from "../errors/problems.ts";
import type { MessageAccepted, Session as SessionInfo, UniversalEvent } from "../generated/openapi.gen.ts";
import type { Http, RequestOptions } from "../http/http.ts";
import { events } from "./events.ts";
import type { Handlers, Session } from "./session.ts";
import { type TurnResult, watchTurn } from "./turn-result.ts";
import { TurnScope } from "./turn-scope.ts";

/** Where a turn comes from: a message of this client, or the state of the session. */
export type TurnOrigin =
  | { kind: "sent"; post: () => Promise<MessageAccepted>; signal: AbortSignal | undefined }
  | { kind: "found"; accepted: MessageAccepted; info: SessionInfo };

/**
 * A message and what the agent does about it. Iterate over it for its events, await `done` for its result. Both are
 * independent of each other, may be used any number of times, and survive lost connections and restarts of the daemon.
 */
export class Turn implements AsyncIterable<UniversalEvent> {
  /** Resolves once the daemon has stored the message. */
  readonly accepted: Promise<MessageAccepted>;
  readonly session: Session;
  readonly #http: Http;
  readonly #handlers: Handlers;
  readonly #origin: TurnOrigin;
  #done: Promise<TurnResult> | undefined;

  /** @internal */
  constructor(session: Session, http: Http, handlers: Handlers, origin: TurnOrigin) {
    this.session = session;
    this.#http = http;
    this.#handlers = handlers;
    this.#origin = origin;
    this.accepted = origin.kind === "sent" ? origin.post() : Promise.resolve(origin.accepted);
    // A failure is reported to those who look at the turn. Nobody has to, and that must not end the process.
    this.accepted.then(
      () => this.#serveHandlers(),
      () => {},
    );
  }

  /**
   * Result of the turn. Rejects with a `TurnFailedError` if the agent failed, and with a `MessageWithdrawnError` if the
   * message never began. A turn that was cancelled is a result with the stop reason `cancelled`.
   */
  get done(): Promise<TurnResult> {
    return this.#watch(undefined);
  }

  /** Iterates over the events of the turn, from the message to the end of the turn. */
  [Symbol.asyncIterator](): AsyncIterableIterator<UniversalEvent> {
    const scope = new TurnScope();
    const signal = this.#origin.kind === "sent" ? this.#origin.signal : undefined;
    let source: AsyncIterableIterator<UniversalEvent> | undefined;
    let opening: Promise<AsyncIterableIterator<UniversalEvent>> | undefined;
    let left = false;
    const open = async (): Promise<AsyncIterableIterator<UniversalEvent>> => {
      const accepted = await this.accepted;
      scope.begin(accepted);
      source = events(this.#http, this.session.id, { after: accepted.eventId - 1, signal });
      return source;
    };
    const leave = async (): Promise<IteratorReturnResult<undefined>> => {
      left = true;
      await source?.return?.();
      return { done: true, value: undefined };
    };
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      async next() {
        // Calls at the same time share one stream.
        opening ??= open();
        const stream = await opening;
        while (!scope.isOver && !left) {
          const step = await stream.next();
          if (step.done === true) break;
          if (scope.includes(step.value)) return { done: false, value: step.value };
        }
        return leave();
      },
      return: leave,
    };
  }

  /** Cancels the turn, or withdraws the message if the turn has not begun. Does nothing if the turn is over. */
  async cancel(options: RequestOptions = {}): Promise<void> {
    const { messageId, turnId } = await this.accepted;
    try {
      await this.session.withdraw(messageId, options);
    } catch (error) {
      if (!(error instanceof ConflictError && error.what === "begun")) throw error;
      const { turn } = await this.session.refresh(options);
      if (turn?.turnId === turnId) await this.session.cancel(options);
    }
  }

  /** Handlers work even if nobody awaits the turn. */
  #serveHandlers(): void {
    if (this.#handlers.permission === undefined && this.#handlers.question === undefined) return;
    if (this.#done === undefined) this.#watch(this.#origin.kind === "found" ? this.#origin.info : "new");
  }

  #watch(known: SessionInfo | "new" | undefined): Promise<TurnResult> {
    if (this.#done === undefined) {
      const origin = this.#origin;
      const repeat = origin.kind === "sent" ? origin.post : undefined;
      const signal = origin.kind === "sent" ? origin.signal : undefined;
      const follow = {
        session: this.session,
        http: this.#http,
        handlers: this.#handlers,
        known,
        repeat,
        signal,
      };
      this.#done = this.accepted.then((accepted) => watchTurn(accepted, follow));
      this.#done.catch(() => {});
    }
    return this.#done;
  }
}
