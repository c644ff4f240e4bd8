// The tool calls of a turn, as its messages show them.

import type {
  DiffContent,
  ParsedMessage,
  ToolCallPart,
  ToolKind,
  ToolResultPart,
  TurnResult,
} from "sandbox-agent";

export interface ToolCall {
  call: ToolCallPart;
  result: ToolResultPart | undefined;
}

/** Returns all tool calls with their results, in order. */
export function toolCalls({ messages }: { messages: ParsedMessage[] }): ToolCall[] {
  const parts = messages.flatMap((message) => message.parts);
  const results = parts.filter((part) => part.type === "toolResult");
  return parts
    .filter((part) => part.type === "toolCall")
    .map((call) => ({ call, result: results.find(({ id }) => id === call.id) }));
}

/** Returns the last call of a kind. */
export function toolCall(turn: TurnResult, kind: ToolKind): ToolCall {
  const found = toolCalls(turn).findLast(({ call }) => call.kind === kind);
  if (found === undefined) throw new Error(`no ${kind}: ${JSON.stringify(turn.messages)}`);
  return found;
}

/** Returns the texts of a result. */
export function resultText({ result }: ToolCall): string {
  return (result?.content ?? []).map((content) => (content.type === "text" ? content.text : "")).join("\n");
}

export function resultDiff({ result }: ToolCall): DiffContent {
  const diff = result?.content.find((content) => content.type === "diff");
  if (diff === undefined) throw new Error(`no diff: ${JSON.stringify(result)}`);
  return diff;
}
