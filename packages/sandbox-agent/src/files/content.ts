// Contents of files, in the forms in which programs have them.

/** Content to write. A stream is sent while it is read; browsers read it to its end first. */
export type FileContentSource = string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>;

/** A path, or an entry of a listing or of a search. Entries work even if their names are not UTF-8. */
export type PathLike = string | { readonly path: string; readonly encodedPath?: string };

/** Reads a stream to its end. A `Response` would do it as well, but browsers replace the stream's error by their own. */
export async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    chunks.push(step.value);
    size += step.value.length;
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
