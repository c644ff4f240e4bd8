// Parts of messages: a call and its result become one part, and pieces are appended.

import type { MessageDelta, MessagePart, ToolContent } from "../generated/openapi.gen.ts";
import type { FunctionPart, ToolPart, TranscriptPart } from "./model.ts";

type Wire<T extends MessagePart["type"]> = Extract<MessagePart, { type: T }>;

/** Turns the parts of a message as the daemon sends them into those of a transcript. */
export function foldParts(parts: readonly MessagePart[]): readonly TranscriptPart[] {
  const folded: TranscriptPart[] = [];
  for (const part of parts) {
    switch (part.type) {
      case "toolCall":
        folded.push(toolOf(part));
        break;
      case "toolResult":
        join(folded, "tool", part.id, (call) => withResult(call ?? unnamedTool(part.id), part));
        break;
      case "functionCall":
        folded.push({ type: "function", id: part.id, name: part.name, arguments: part.arguments });
        break;
      case "functionResult":
        join(folded, "function", part.id, (call) => withReturn(call, part));
        break;
      case "text":
      case "reasoning":
      case "file":
      case "image":
      case "error":
      case "unknown":
        folded.push(part);
        break;
      default:
        // A later version has parts that this one does not know.
        folded.push({ type: "unknown", raw: part });
    }
  }
  return folded;
}

/** Appends a piece of a message that is being written. */
export function appendPiece(
  parts: readonly TranscriptPart[],
  delta: MessageDelta,
): readonly TranscriptPart[] {
  const last = parts.at(-1);
  switch (delta.kind) {
    case "output": {
      const index = parts.findLastIndex((part) => part.type === "tool");
      const tool = parts[index];
      if (tool?.type !== "tool") return [...parts, printed(unnamedTool(delta.messageId), delta.text)];
      return parts.with(index, printed(tool, delta.text));
    }
    case "text":
    case "reasoning":
      if (last?.type === delta.kind) return parts.with(-1, { ...last, text: last.text + delta.text });
      return [...parts, { type: delta.kind, text: delta.text }];
    default:
      return [...parts, { type: "unknown", raw: delta }];
  }
}

function join<T extends "tool" | "function">(
  parts: TranscriptPart[],
  type: T,
  id: string,
  merge: (call: Extract<TranscriptPart, { type: T }> | undefined) => TranscriptPart,
): void {
  const isCall = (part: TranscriptPart): part is Extract<TranscriptPart, { type: T }> =>
    part.type === type && "id" in part && part.id === id;
  const index = parts.findLastIndex(isCall);
  const call = parts[index];
  if (call === undefined || !isCall(call)) parts.push(merge(undefined));
  else parts[index] = merge(call);
}

function toolOf(part: Wire<"toolCall">): ToolPart {
  const { type: _, locations, ...call } = part;
  return {
    ...call,
    type: "tool",
    locations: locations ?? [],
    content: [],
    isError: part.status === "failed",
  };
}

function unnamedTool(id: string): ToolPart {
  const call = { title: id, kind: "other", status: "inProgress", locations: [], content: [] } as const;
  return { type: "tool", id, ...call, isError: false };
}

function withResult(call: ToolPart, part: Wire<"toolResult">): ToolPart {
  const shown = { ...call, content: part.content, isError: part.isError };
  return part.output === undefined ? shown : { ...shown, output: part.output };
}

function withReturn(call: FunctionPart | undefined, part: Wire<"functionResult">): FunctionPart {
  const result = { value: part.result, isError: part.isError };
  return { type: "function", id: part.id, name: part.name ?? "", ...call, result };
}

/** Adds printed text behind everything that a call shows, as the daemon does for a call that was cut off. */
function printed(tool: ToolPart, text: string): ToolPart {
  const last = tool.content.at(-1);
  // A block of code that the agent made is closed; the text goes behind it.
  const grows = last?.type === "text" && !last.text.slice(-64).trimEnd().endsWith("```");
  const more: ToolContent = grows ? { ...last, text: last.text + text } : { type: "text", text };
  return { ...tool, content: grows ? tool.content.with(-1, more) : [...tool.content, more] };
}
