// Calls the handlers of a session for what the agent asks during a turn.

import type {
  PermissionRequest,
  QuestionRequest,
  Session as SessionInfo,
  UniversalEvent,
} from "../generated/openapi.gen.ts";
import { PermissionPrompt, QuestionPrompt } from "./prompts.ts";
import type { Handlers, Session } from "./session.ts";

export class Prompter {
  readonly #session: Session;
  readonly #handlers: Handlers;
  readonly #known: SessionInfo | "new";
  readonly #fail: (error: unknown) => void;
  readonly #failing: Promise<void>[] = [];
  readonly #open = new Map<string, AbortController>();

  constructor(
    session: Session,
    handlers: Handlers,
    known: SessionInfo | "new",
    fail: (error: unknown) => void,
  ) {
    this.#session = session;
    this.#handlers = handlers;
    this.#known = known;
    this.#fail = fail;
  }

  /** Starts the handler for a request, or ends the prompt of one that was decided. */
  apply(event: UniversalEvent): void {
    switch (event.type) {
      case "permissionAsked":
        if (this.#isOpen(event)) this.#askPermission(event.data.permissionAsked);
        break;
      case "questionAsked":
        if (this.#isOpen(event)) this.#askQuestion(event.data.questionAsked);
        break;
      case "permissionResolved":
        this.#settle(event.data.permissionResolved.id);
        break;
      case "questionResolved":
        this.#settle(event.data.questionResolved.id);
        break;
      default:
    }
  }

  /** Waits until the failures of handlers are reported: a request that is rejected may end the turn before. */
  async reportFailures(): Promise<void> {
    await Promise.all(this.#failing);
  }

  /** Ends all prompts, such as when the turn is over. */
  close(): void {
    for (const id of [...this.#open.keys()]) this.#settle(id);
  }

  /** A log that is read later has requests that were decided long ago. */
  #isOpen(event: UniversalEvent & { type: "permissionAsked" | "questionAsked" }): boolean {
    const known = this.#known;
    if (known === "new" || event.id > known.lastEventId) return true;
    const request = event.type === "permissionAsked" ? event.data.permissionAsked : event.data.questionAsked;
    return [...known.permissions, ...known.questions].some((open) => open.id === request.id);
  }

  #askPermission(request: PermissionRequest): void {
    const handler = this.#handlers.permission;
    if (handler === undefined) return;
    const prompt = new PermissionPrompt(this.#session, request, this.#begin(request.id));
    this.#guard(
      () => handler(prompt),
      () => prompt.reject(),
    );
  }

  #askQuestion(request: QuestionRequest): void {
    const handler = this.#handlers.question;
    if (handler === undefined) return;
    const prompt = new QuestionPrompt(this.#session, request, this.#begin(request.id));
    this.#guard(
      () => handler(prompt),
      () => prompt.reject(),
    );
  }

  #begin(id: string): AbortSignal {
    const controller = new AbortController();
    this.#open.set(id, controller);
    return controller.signal;
  }

  #settle(id: string): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
  }

  /** A request whose handler failed is rejected: nothing may run, and the agent must not wait forever. */
  #guard(handle: () => unknown, reject: () => Promise<unknown>): void {
    const run = async (): Promise<void> => {
      try {
        await handle();
      } catch (error) {
        const failing = reject()
          .catch(() => {})
          .then(() => this.#fail(error));
        this.#failing.push(failing);
        await failing;
      }
    };
    void run();
  }
}
