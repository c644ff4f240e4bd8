// From the events of a turn to the chunks of a UI message stream.

import type { InferUIMessageChunk } from "ai";
import type { CrashInfo, MessageDelta, ParsedMessage, TurnEnded, UniversalEvent } from "sandbox-agent";
import { foldParts, type TranscriptPart } from "sandbox-agent/transcript";
import { PLAN_APPROVAL_TOOL, QUESTION_TOOL, type SandboxAgentMessage } from "./message.ts";
import { fileChunk, finishReasonOf } from "./parts.ts";
import { TextBlocks } from "./text-blocks.ts";
import { ToolCalls } from "./tool-calls.ts";

export type Chunk = InferUIMessageChunk<SandboxAgentMessage>;

/** A decision of the client on a request of an earlier stream of the same message. */
export interface Decision {
  readonly permissionId: string;
  readonly toolCallId: string;
}

/** Translates the events of one turn, in order. */
export class ChunkWriter {
  readonly #emit: (chunk: Chunk) => void;
  readonly #text: TextBlocks;
  readonly #tools: ToolCalls;
  readonly #files = new Set<string>();
  #error: CrashInfo | undefined;

  constructor(emit: (chunk: Chunk) => void, decisions: readonly Decision[] = []) {
    this.#emit = emit;
    this.#text = new TextBlocks(emit);
    this.#tools = new ToolCalls(emit);
    for (const { permissionId, toolCallId } of decisions)
      this.#tools.expectDecision(permissionId, toolCallId);
  }

  /** Applies the next event. The end of the turn is reported by `end`. */
  apply(event: UniversalEvent): void {
    switch (event.type) {
      case "message":
        if ("parts" in event.data.message) this.#message(event.data.message);
        break;
      case "messageDelta":
        this.#delta(event.data.messageDelta);
        break;
      case "permissionAsked":
        this.#text.endAll();
        this.#tools.askPermission(event.data.permissionAsked);
        break;
      case "permissionResolved":
        this.#tools.resolvePermission(event.data.permissionResolved);
        break;
      case "questionAsked": {
        const request = event.data.questionAsked;
        this.#text.endAll();
        this.#tools.ask(request, request.planApproval === true ? PLAN_APPROVAL_TOOL : QUESTION_TOOL);
        break;
      }
      case "questionResolved":
        this.#tools.resolveQuestion(event.data.questionResolved);
        break;
      case "plan":
        this.#emit({ type: "data-plan", id: "plan", data: event.data.plan });
        break;
      case "usage":
        this.#emit({ type: "data-usage", id: "usage", data: event.data.usage });
        break;
      case "notice":
        this.#emit({ type: "data-notice", id: `notice-${event.id}`, data: event.data.notice });
        break;
      case "error":
        this.#error = event.data.error;
        break;
      default:
    }
  }

  /** Ends everything that is open, such as before the stream is closed while the agent waits. */
  pause(): void {
    this.#text.endAll();
  }

  /** Ends the message with its turn. */
  end(turn: TurnEnded, metadata: SandboxAgentMessage["metadata"]): void {
    this.#text.endAll();
    this.#tools.endAll(turn.stopReason === "cancelled" ? "cancelled" : "the turn ended");
    if (turn.stopReason === "error") {
      this.#emit({ type: "error", errorText: this.#error?.message ?? "the turn failed" });
    }
    this.#emit({ type: "finish-step" });
    const messageMetadata = {
      ...metadata,
      stopReason: turn.stopReason,
      ...(turn.usage && { usage: turn.usage }),
    };
    if (turn.stopReason === "cancelled") {
      this.#emit({ type: "message-metadata", messageMetadata });
      this.#emit({ type: "abort", reason: "cancelled" });
    } else this.#emit({ type: "finish", finishReason: finishReasonOf(turn.stopReason), messageMetadata });
  }

  #delta(delta: MessageDelta): void {
    // The words of a sub-agent are not the answer. Its tool calls are shown.
    if (delta.parentId !== undefined) return;
    if (delta.kind === "text" || delta.kind === "reasoning") {
      this.#text.append(delta.messageId, delta.kind, delta.text);
    }
  }

  #message(message: ParsedMessage): void {
    if (message.role === "user") return;
    const isNested = message.metadata?.["parentId"] !== undefined;
    const parts = foldParts(message.parts);
    if (!isNested) this.#text.complete(message.id, parts);
    for (const [index, part] of parts.entries()) this.#part(part, `${message.id}-${index}`);
  }

  #part(part: TranscriptPart, id: string): void {
    switch (part.type) {
      case "tool":
        this.#tools.update(part);
        break;
      case "function":
        this.#tools.updateFunction(part);
        break;
      case "file":
      case "image": {
        // A later state of the message repeats its parts.
        const chunk = this.#files.has(id) ? undefined : fileChunk(part, id);
        this.#files.add(id);
        if (chunk !== undefined) this.#emit(chunk);
        break;
      }
      case "error":
        this.#emit({ type: "data-notice", id, data: { severity: "error", title: part.message } });
        break;
      default:
    }
  }
}
