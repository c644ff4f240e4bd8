// Questions that a view asks of a transcript.

import type { DiffContent } from "../generated/openapi.gen.ts";
import type { AssistantItem, ToolPart, Transcript, TranscriptItem, UserItem } from "./model.ts";
import { itemOf, messageKey } from "./placing.ts";

/** Returns the message with an id, waiting or not. */
export function messageOf(transcript: Transcript, id: string): UserItem | AssistantItem | undefined {
  const item = itemOf(transcript, messageKey(id));
  if (item?.kind === "user" || item?.kind === "assistant") return item;
  return transcript.queue.find((queued) => queued.id === id);
}

/** Returns the messages of the sub-agent that a tool call started, in order. */
export function childrenOf(transcript: Transcript, toolCallId: string): readonly AssistantItem[] {
  const keys = transcript.index.children.get(toolCallId) ?? [];
  return keys.map((key) => itemOf(transcript, key)).filter((item) => item?.kind === "assistant");
}

/** Returns true if an item is shown within the tool call of its sub-agent instead of on its own. */
export function isNested(transcript: Transcript, item: TranscriptItem): boolean {
  if (item.kind !== "assistant" || item.parentId === undefined) return false;
  return transcript.index.positions.has(messageKey(`tool:${item.parentId}`));
}

/** Returns the text of a message without its reasoning and tool calls. */
export function textOf(item: UserItem | AssistantItem): string {
  return item.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Returns all text that a tool call has shown or printed. */
export function outputOf(tool: ToolPart): string {
  const shown = tool.content.flatMap((content) => (content.type === "text" ? [content.text] : []));
  if (shown.length > 0) return shown.join("\n");
  return typeof tool.output === "string" ? tool.output : "";
}

/** Returns the changes to files that a tool call shows. */
export function diffsOf(tool: ToolPart): readonly DiffContent[] {
  return tool.content.filter((content) => content.type === "diff");
}
