// Watches a turn until it ends: collects its result and calls the handlers for what the agent asks.

import { GapError, HandlerError, SandboxAgentError } from "../errors/errors.ts";
import type {
  AgentExit,
  CrashInfo,
  Gap,
  MessageAccepted,
  ParsedMessage,
  Session as SessionInfo,
  StopReason,
  TurnEnded,
  UniversalEvent,
  Usage,
  WithdrawnBy,
} from "../generated/openapi.gen.ts";
import type { Http } from "../http/http.ts";
import { events } from "./events.ts";
import { Prompter } from "./prompter.ts";
import type { Handlers, Session } from "./session.ts";
import { TurnScope } from "./turn-scope.ts";

/** Result of a turn that ended. */
export interface TurnResult {
  stopReason: StopReason;
  /** Why the end is `unknown`, such as `daemonRestarted`. */
  reason?: string;
  /** Text of the agent's last message that has any; empty if there is none. */
  text: string;
  /** Tokens of the turn, if the agent reports them. */
  usage?: Usage;
  /** Messages of the turn in their final state, in order, without the user's. Those that the log no longer has are missing. */
  messages: ParsedMessage[];
  turnId: string;
  messageId: string;
}

/** The agent failed during the turn. */
export class TurnFailedError extends SandboxAgentError {
  override name = "TurnFailedError";
  /** Kind of failure, such as `agentExited` or `authRequired`. */
  readonly kind: string;
  /** How the agent's process exited, with the end of its stderr. */
  readonly exit: AgentExit | undefined;
  readonly details: unknown;
  /** The part of the result from before the failure. */
  readonly result: TurnResult;

  constructor(error: CrashInfo | undefined, result: TurnResult) {
    super(error?.message ?? "the turn failed");
    this.kind = error?.kind ?? "unknown";
    this.exit = error?.exit;
    this.details = error?.details;
    this.result = result;
  }
}

/** The message was withdrawn before its turn began. */
export class MessageWithdrawnError extends SandboxAgentError {
  override name = "MessageWithdrawnError";
  readonly messageId: string;
  /** Who withdrew it, such as `client` or `cancelled`. */
  readonly by: WithdrawnBy;

  constructor(messageId: string, by: WithdrawnBy) {
    super(`message ${messageId} was withdrawn before its turn began (${by})`);
    this.messageId = messageId;
    this.by = by;
  }
}

export interface Follow {
  session: Session;
  http: Http;
  handlers: Handlers;
  /** State of the session before the turn was watched; `new` if the turn is as new as its message. */
  known: SessionInfo | "new" | undefined;
  /** Sends the message again under the same key, which releases a message that is held after a restart. */
  repeat: (() => Promise<MessageAccepted>) | undefined;
  signal: AbortSignal | undefined;
}

/** Reads the log until the turn ends. */
export async function watchTurn(accepted: MessageAccepted, follow: Follow): Promise<TurnResult> {
  const { session, http, handlers, signal } = follow;
  const stop = new AbortController();
  const prompter = new Prompter(session, handlers, await knownState(follow), (error) => stop.abort(error));
  const loss = new Loss(session, accepted.turnId);
  const options = {
    after: accepted.eventId - 1,
    deltas: false,
    signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
    onGap: (gap: Gap) => loss.report(gap),
  };
  const scope = new TurnScope();
  scope.begin(accepted);
  const outcome = new Outcome(accepted);
  try {
    for await (const event of events(http, session.id, options)) {
      await loss.check(event, scope);
      if (!scope.includes(event)) continue;
      prompter.apply(event);
      if (event.type === "queueHeld") await follow.repeat?.();
      const result = outcome.apply(event);
      if (result === undefined) continue;
      await prompter.reportFailures();
      stop.signal.throwIfAborted();
      return result;
    }
  } catch (error) {
    if (!stop.signal.aborted || signal?.aborted) throw error;
    throw new HandlerError(`a handler of session ${session.id} failed`, { cause: stop.signal.reason });
  } finally {
    prompter.close();
  }
  throw new SandboxAgentError(`session ${session.id} ended before turn ${accepted.turnId}`);
}

/** Events were dropped before they were read. The end of the turn may be among them, and must not be awaited forever. */
class Loss {
  readonly #session: Session;
  readonly #turnId: string;
  #gap: Gap | undefined;
  /** Event by which the end of the turn must have come. */
  #limit: number | undefined;

  constructor(session: Session, turnId: string) {
    this.#session = session;
    this.#turnId = turnId;
  }

  report(gap: Gap): void {
    this.#gap = gap;
    this.#limit = undefined;
  }

  /** Throws a `GapError` if the log has been read without the end of a turn that is over. */
  async check(event: UniversalEvent, scope: TurnScope): Promise<void> {
    if (this.#gap === undefined) return;
    if (this.#limit === undefined) {
      const { turn, queue, lastEventId } = await this.#session.refresh();
      if (turn?.turnId === this.#turnId) scope.enter();
      const current = turn?.turnId === this.#turnId || queue.some(({ turnId }) => turnId === this.#turnId);
      this.#limit = current ? Number.POSITIVE_INFINITY : lastEventId;
    }
    if (event.id >= this.#limit && !endsTurn(event, this.#turnId)) throw new GapError(this.#gap);
  }
}

function endsTurn(event: UniversalEvent, turnId: string): boolean {
  if (event.type === "turnEnded") return event.data.turnEnded.turnId === turnId;
  return event.type === "messageWithdrawn" && event.data.messageWithdrawn.turnId === turnId;
}

/** A turn that is watched late has requests in its log that were decided before. */
async function knownState({ known, handlers, session, signal }: Follow): Promise<SessionInfo | "new"> {
  if (known !== undefined) return known;
  const asks = handlers.permission !== undefined || handlers.question !== undefined;
  return asks ? session.refresh({ signal }) : "new";
}

/** Collects what a turn produces. */
class Outcome {
  readonly #accepted: MessageAccepted;
  readonly #messages = new Map<string, ParsedMessage>();
  #error: CrashInfo | undefined;

  constructor(accepted: MessageAccepted) {
    this.#accepted = accepted;
  }

  /** Applies an event of the turn. Returns the result if it was the last one; throws if the turn failed. */
  apply(event: UniversalEvent): TurnResult | undefined {
    switch (event.type) {
      case "message": {
        const { message } = event.data;
        if ("parts" in message && message.role !== "user") this.#messages.set(message.id, message);
        return undefined;
      }
      case "error":
        this.#error = event.data.error;
        return undefined;
      case "messageWithdrawn":
        throw new MessageWithdrawnError(this.#accepted.messageId, event.data.messageWithdrawn.by);
      case "turnEnded": {
        const result = this.#result(event.data.turnEnded);
        if (result.stopReason === "error") throw new TurnFailedError(this.#error, result);
        return result;
      }
      default:
        return undefined;
    }
  }

  #result({ stopReason, reason, usage }: TurnEnded): TurnResult {
    const { turnId, messageId } = this.#accepted;
    const messages = [...this.#messages.values()];
    const text = messages.map(textOf).findLast((text) => text !== "") ?? "";
    const optional = {
      ...(reason === undefined ? {} : { reason }),
      ...(usage === undefined ? {} : { usage }),
    };
    return { stopReason, text, messages, turnId, messageId, ...optional };
  }
}

function textOf(message: ParsedMessage): string {
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
