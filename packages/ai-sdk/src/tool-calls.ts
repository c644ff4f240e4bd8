// Tool calls: input, approval, output. Questions are calls of a tool that the user answers.

import type { PermissionRequest, PermissionResolved, QuestionRequest, QuestionResolved } from "sandbox-agent";
import { type FunctionPart, outputOf, type ToolPart } from "sandbox-agent/transcript";
import type { Chunk } from "./chunks.ts";

interface Call {
  readonly input: string;
  state: "running" | "over";
}

export class ToolCalls {
  readonly #emit: (chunk: Chunk) => void;
  readonly #calls = new Map<string, Call>();
  /** Tool calls that wait for a decision, by the id of the permission. */
  readonly #permissions = new Map<string, string>();

  constructor(emit: (chunk: Chunk) => void) {
    this.#emit = emit;
  }

  update(part: ToolPart): void {
    this.#input(part.id, part.name ?? part.kind, part.input ?? {}, part.title);
    if (part.status === "completed") this.#output(part.id, outcomeOf(part));
    else if (part.status === "failed") this.#fail(part.id, outputOf(part) || `${part.title} failed`);
  }

  updateFunction({ id, name, arguments: input, result }: FunctionPart): void {
    this.#input(id, name, input ?? {}, name);
    if (result?.isError === true) this.#fail(id, textOf(result.value));
    else if (result !== undefined) this.#output(id, result.value);
  }

  askPermission({ id, toolCallId, tool, kind, input, title }: PermissionRequest): void {
    if (!this.#calls.has(toolCallId)) this.#input(toolCallId, tool ?? kind, input ?? {}, title);
    this.#permissions.set(id, toolCallId);
    this.#emit({ type: "tool-approval-request", approvalId: id, toolCallId });
  }

  resolvePermission({ id, reply }: PermissionResolved): void {
    const toolCallId = this.#permissions.get(id);
    if (toolCallId === undefined) return;
    this.#permissions.delete(id);
    const approved = reply === "once" || reply === "always";
    this.#emit({ type: "tool-approval-response", approvalId: id, approved, providerExecuted: true });
    if (approved) return;
    this.#emit({ type: "tool-output-denied", toolCallId });
    this.#over(toolCallId);
  }

  /** Continues a call whose approval was requested by an earlier stream of the same message. */
  expectDecision(permissionId: string, toolCallId: string): void {
    this.#calls.set(toolCallId, { input: "", state: "running" });
    this.#permissions.set(permissionId, toolCallId);
  }

  ask(request: QuestionRequest, toolName: string): void {
    this.#calls.set(request.id, { input: "", state: "running" });
    const call = { toolCallId: request.id, toolName, dynamic: true };
    this.#emit({ type: "tool-input-available", ...call, input: request });
  }

  resolveQuestion({ id, outcome, answers }: QuestionResolved): void {
    const output = answers === undefined ? { outcome } : { outcome, answers };
    this.#emit({ type: "tool-output-available", toolCallId: id, output, dynamic: true });
    this.#over(id);
  }

  /** Ends calls that the agent left open. */
  endAll(reason: string): void {
    for (const [id, call] of this.#calls) if (call.state === "running") this.#fail(id, reason);
  }

  #input(toolCallId: string, toolName: string, input: unknown, title: string): void {
    const known = this.#calls.get(toolCallId);
    const json = JSON.stringify(input);
    if (known?.input === json || known?.state === "over") return;
    // An earlier stream has sent the input, and a repetition would undo its approval.
    if (known?.input === "") return;
    this.#calls.set(toolCallId, { input: json, state: "running" });
    const flags = { dynamic: true, providerExecuted: true };
    this.#emit({ type: "tool-input-available", toolCallId, toolName, input, title, ...flags });
  }

  #output(toolCallId: string, output: unknown): void {
    if (this.#isOver(toolCallId)) return;
    this.#over(toolCallId);
    this.#emit({ type: "tool-output-available", toolCallId, output, dynamic: true, providerExecuted: true });
  }

  #fail(toolCallId: string, errorText: string): void {
    if (this.#isOver(toolCallId)) return;
    this.#over(toolCallId);
    this.#emit({ type: "tool-output-error", toolCallId, errorText, dynamic: true, providerExecuted: true });
  }

  #isOver(toolCallId: string): boolean {
    return this.#calls.get(toolCallId)?.state === "over";
  }

  #over(toolCallId: string): void {
    const call = this.#calls.get(toolCallId);
    if (call !== undefined) call.state = "over";
  }
}

/** Returns the output of a call: its text if that is all, else its content in full. */
function outcomeOf(part: ToolPart): unknown {
  const isText = part.content.every((content) => content.type === "text");
  if (isText && part.content.length > 0) return outputOf(part);
  return part.content.length > 0 ? part.content : (part.output ?? null);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
