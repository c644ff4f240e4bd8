// Contents of files, in the forms in which programs have them.

/** Content to write. A stream is sent while it is read; browsers read it to its end first. */
export type FileContentSource = string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>;

/** A path, or an entry of a listing or of a search. Entries work even if their names are not UTF-8. */
export type PathLike = string | { readonly path: string; readonly encodedPath?: string };

/** Reads a stream to its end. */
export async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  // `new Response(stream)` would do it, but Chromium replaces the stream's error by one of its own.
  const chunks: Uint8Array[] = [];
  const reader = stream.getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) chunks.push(step.value);
  const all = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}
