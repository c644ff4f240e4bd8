// Contents of files, in the forms in which programs have them.

/** Content to write. A stream is sent while it is read; browsers read it to its end first. */
export type FileContentSource = string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>;

/** A path, or an entry of a listing or of a search. Entries work even if their names are not UTF-8. */
export type PathLike = string | { readonly path: string; readonly encodedPath?: string };

/** Reads a stream to its end. */
export async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
