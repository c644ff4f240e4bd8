// Reads the start of a response that is not a success. Its body may be large, or have no end.

const MAX_BYTES = 64 * 1024;

/** Returns the first 64 KiB of a body as text and cancels the rest. */
export async function readStart({ body }: Response): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; bytes < MAX_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) return text;
    bytes += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  reader.cancel().catch(() => undefined);
  return text.slice(0, MAX_BYTES);
}
