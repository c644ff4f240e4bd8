// Files, sources and reasons in the words of the AI SDK.

import type { FinishReason } from "ai";
import type { FilePart, ImagePart, StopReason } from "sandbox-agent";
import type { Chunk } from "./chunks.ts";

/** Returns the chunk for a file: its content as a data URL, or a source that names it. */
export function fileChunk(part: FilePart | ImagePart, id: string): Chunk | undefined {
  const { source } = part;
  const mediaType = part.mimeType ?? "application/octet-stream";
  if (source?.type === "base64")
    return { type: "file", mediaType, url: `data:${mediaType};base64,${source.data}` };
  if (source?.type === "text") {
    return {
      type: "file",
      mediaType,
      url: `data:${mediaType};charset=utf-8,${encodeURIComponent(source.text)}`,
    };
  }
  const address = source?.type === "uri" ? source.uri : part.type === "file" ? part.path : undefined;
  if (address === undefined) return undefined;
  const title = (part.type === "file" ? part.name : part.alt) ?? address;
  if (/^https?:/i.test(address)) return { type: "source-url", sourceId: id, url: address, title };
  return { type: "source-document", sourceId: id, mediaType, title, filename: address };
}

const REASONS: Record<StopReason, FinishReason> = {
  endTurn: "stop",
  maxTokens: "length",
  maxTurnRequests: "length",
  refusal: "content-filter",
  cancelled: "other",
  error: "error",
  unknown: "other",
};

export function finishReasonOf(reason: StopReason): FinishReason {
  return REASONS[reason] ?? "other";
}
