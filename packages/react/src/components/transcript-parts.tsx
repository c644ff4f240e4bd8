// Default rendering of the parts of messages: plain text in elements with `data-*` attributes.

import type { ReactNode } from "react";
import type { FileSource } from "sandbox-agent";
import { diffsOf, outputOf, type TranscriptPart } from "sandbox-agent/transcript";

/** Components for the parts of messages, by their type. */
export type PartSlots = {
  [T in TranscriptPart["type"]]?: (props: { part: Extract<TranscriptPart, { type: T }> }) => ReactNode;
};

export function Part({ part, slots }: { part: TranscriptPart; slots: PartSlots }): ReactNode {
  const Slot = slots[part.type] as ((props: { part: TranscriptPart }) => ReactNode) | undefined;
  return Slot === undefined ? <DefaultPart part={part} /> : <Slot part={part} />;
}

function DefaultPart({ part }: { part: TranscriptPart }): ReactNode {
  switch (part.type) {
    case "text":
      return <div data-part="text">{part.text}</div>;
    case "reasoning":
      return (
        <details data-part="reasoning">
          <summary>Thinking</summary>
          {part.text}
        </details>
      );
    case "tool":
      return (
        <details data-part="tool" data-status={part.status} data-kind={part.kind} data-error={part.isError}>
          <summary>{part.title}</summary>
          {diffsOf(part).map((diff) => (
            <pre key={diff.path} data-slot="diff" data-path={diff.path}>
              {diff.newText}
            </pre>
          ))}
          <pre data-slot="output">{outputOf(part)}</pre>
        </details>
      );
    case "function":
      return (
        <details data-part="function" data-error={part.result?.isError}>
          <summary>{part.name}</summary>
          <pre>{JSON.stringify(part.result?.value, null, 2)}</pre>
        </details>
      );
    case "image":
      return <img data-part="image" alt={part.alt ?? ""} src={imageUrl(part.source, part.mimeType)} />;
    case "file":
      return <span data-part="file">{part.name ?? part.path ?? "file"}</span>;
    case "error":
      return (
        <p data-part="error" role="alert">
          {part.message}
        </p>
      );
    default:
      return null;
  }
}

/** Images of an agent are shown only if they are in the message: loading an address would show others who looks at it. */
function imageUrl(source: FileSource, mimeType: string): string | undefined {
  return "data" in source && mimeType.startsWith("image/")
    ? `data:${mimeType};base64,${source.data}`
    : undefined;
}
