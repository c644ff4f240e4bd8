// Requests of the agent, with the ways to answer them.

import type { PermissionReply, PermissionRequest, QuestionRequest } from "../generated/openapi.gen.ts";
import type { Session } from "./session.ts";

/** Handles a permission request. If it throws, the request is rejected and `turn.done` rejects with the error. */
export type PermissionHandler = (permission: PermissionPrompt) => unknown;

/** Handles a question. If it throws, the question is rejected and `turn.done` rejects with the error. */
export type QuestionHandler = (question: QuestionPrompt) => unknown;

/** A permission request that waits for a decision. Each method returns false if it was decided before. */
export class PermissionPrompt {
  readonly session: Session;
  readonly request: PermissionRequest;
  /** Aborted when the request is decided, by anybody. */
  readonly signal: AbortSignal;

  /** @internal */
  constructor(session: Session, request: PermissionRequest, signal: AbortSignal) {
    this.session = session;
    this.request = request;
    this.signal = signal;
  }

  get id(): string {
    return this.request.id;
  }

  /** Allows this call. */
  async allowOnce(): Promise<boolean> {
    return this.reply({ reply: "once" });
  }

  /** Allows this call and those like it for the rest of the session, where the agent has such an option. */
  async allowAlways(): Promise<boolean> {
    return this.reply({ reply: "always" });
  }

  /** Rejects the call. `message`, such as a reason, becomes the next message to the agent. */
  async reject(message?: string): Promise<boolean> {
    return this.reply(message === undefined ? { reply: "reject" } : { reply: "reject", message });
  }

  /** Sends any reply, such as one that names an `optionId`. */
  async reply(reply: PermissionReply): Promise<boolean> {
    return this.session.replyPermission(this.id, reply);
  }
}

/** A question that waits for an answer. Each method returns false if it was decided before. */
export class QuestionPrompt {
  readonly session: Session;
  readonly request: QuestionRequest;
  /** Aborted when the question is decided, by anybody. */
  readonly signal: AbortSignal;

  /** @internal */
  constructor(session: Session, request: QuestionRequest, signal: AbortSignal) {
    this.session = session;
    this.request = request;
    this.signal = signal;
  }

  get id(): string {
    return this.request.id;
  }

  /** True if the agent asks for approval of its plan, which is `request.message`. */
  get isPlanApproval(): boolean {
    return this.request.planApproval === true;
  }

  /** Answers with one list for each part of the question: the labels that were chosen, or the text. */
  async answer(answers: string[][]): Promise<boolean> {
    return this.session.replyQuestion(this.id, answers);
  }

  /** Declines to answer. */
  async reject(): Promise<boolean> {
    return this.session.rejectQuestion(this.id);
  }
}
