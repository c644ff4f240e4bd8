// Files of the reader as parts of a message.

import type { InputPart } from "sandbox-agent";

export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly part: InputPart;
}

let count = 0;

/** Ids of `crypto` are only there in secure contexts. */
function newId(): string {
  count += 1;
  return `attachment-${count}`;
}

/** Returns a part of a message that was sent as an attachment again. Text is none. */
export function attachmentOf(part: InputPart): Attachment[] {
  if (part.type === "text") return [];
  const name = part.type === "image" ? (part.alt ?? "Image") : (part.name ?? part.path ?? "File");
  return [{ id: newId(), name, part }];
}

/** Reads a file: images are sent as such, text as text, anything else as bytes. */
export async function attach(file: File): Promise<Attachment> {
  const mimeType = file.type === "" ? "application/octet-stream" : file.type;
  const id = newId();
  if (mimeType.startsWith("image/")) {
    const source = { type: "base64" as const, data: await base64(file) };
    return { id, name: file.name, part: { type: "image", mimeType, source, alt: file.name } };
  }
  const text = await asText(file);
  const source =
    text === undefined
      ? { type: "base64" as const, data: await base64(file) }
      : { type: "text" as const, text };
  return { id, name: file.name, part: { type: "file", name: file.name, path: file.name, mimeType, source } };
}

async function asText(file: File): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return undefined;
  }
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => reject(reader.error ?? new Error(`cannot read ${file.name}`));
    reader.readAsDataURL(file);
  });
}
