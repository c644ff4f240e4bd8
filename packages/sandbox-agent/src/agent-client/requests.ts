// Requests of the agent to the user, with the ways to answer them.

import { isObject, type Metadata } from "./metadata.ts";

/** An option of a permission request. */
export interface PermissionAskOption {
  readonly optionId: string;
  readonly name: string;
  /** Such as `allow_once`, `allow_always`, `reject_once`. */
  readonly kind: string;
}

type Answer = Readonly<Record<string, unknown>>;

/** One answer counts; later ones do nothing. */
class Ask {
  readonly sessionId: string;
  readonly metadata: Metadata;
  /** Aborts when the agent withdraws the request, or the connection ends. */
  readonly signal: AbortSignal;
  /** The request as the agent sent it. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** @internal */
  readonly answer: Promise<Answer>;
  #resolve: (answer: Answer) => void = () => undefined;

  constructor(params: Record<string, unknown>, metadata: Metadata, signal: AbortSignal) {
    this.sessionId = String(params["sessionId"] ?? "");
    this.metadata = metadata;
    this.signal = signal;
    this.raw = params;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  protected settle(answer: Answer): void {
    this.#resolve(answer);
  }
}

/** A permission request that waits for a decision. */
export class PermissionAsk extends Ask {
  get options(): readonly PermissionAskOption[] {
    const { options } = this.raw;
    return Array.isArray(options) ? (options as PermissionAskOption[]) : [];
  }

  /** The call that the agent wants to make. */
  get toolCall(): Readonly<Record<string, unknown>> {
    const { toolCall } = this.raw;
    return isObject(toolCall) ? toolCall : {};
  }

  /** Allows this call. */
  allowOnce(): void {
    this.#choose("allow_once", "allow_always");
  }

  /** Allows this call and those like it, where the agent has such an option. */
  allowAlways(): void {
    this.#choose("allow_always", "allow_once");
  }

  /** Rejects the call. */
  reject(): void {
    this.#choose("reject_once", "reject_always");
  }

  /** Makes no decision. Nothing runs, and most agents end the turn. */
  cancel(): void {
    this.settle({ outcome: { outcome: "cancelled" } });
  }

  /** Chooses an option by its id. */
  choose(optionId: string): void {
    this.settle({ outcome: { outcome: "selected", optionId } });
  }

  #choose(...kinds: string[]): void {
    const option = kinds
      .map((kind) => this.options.find((one) => one.kind === kind))
      .find((one) => one !== undefined);
    if (option !== undefined) this.choose(option.optionId);
    else this.cancel();
  }
}

/** A question that waits for an answer. */
export class QuestionAsk extends Ask {
  get message(): string {
    return String(this.raw["message"] ?? "");
  }

  /** `form` asks for values, `url` asks the user to visit an address. */
  get mode(): string {
    return String(this.raw["mode"] ?? "form");
  }

  /** JSON Schema of the answer, a flat object. */
  get schema(): Readonly<Record<string, unknown>> {
    const { requestedSchema } = this.raw;
    return isObject(requestedSchema) ? requestedSchema : {};
  }

  /** Answers with values for the schema. */
  reply(content: Readonly<Record<string, unknown>>): void {
    this.settle({ action: "accept", content });
  }

  /** Declines to answer. */
  reject(): void {
    this.settle({ action: "decline" });
  }

  /** Makes no decision, as when the user closes the form. */
  cancel(): void {
    this.settle({ action: "cancel" });
  }
}
