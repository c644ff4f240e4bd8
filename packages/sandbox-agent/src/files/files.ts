// The files of a sandbox: read, write, list, move, delete, pack, watch, search.

import type {
  FsEntry,
  FsMatch,
  FsSearchResponse,
  FsStat,
  FsUploadBatchResponse,
  FsWriteResponse,
  operations,
} from "../generated/openapi.gen.ts";
import type { Call, Http, QueryValue, RequestOptions } from "../http/http.ts";
import { type FileContentSource, type PathLike, readAll } from "./content.ts";
import { type WatchEvent, type WatchOptions, watch } from "./watch.ts";

/** Options of reading a file. */
export interface ReadOptions extends RequestOptions {
  /** First byte to read; negative counts from the end. */
  start?: number | undefined;
  /** Byte to stop before; the end of the file by default. Not with a negative `start`. */
  end?: number | undefined;
  /** Entity tag of the version to read. Throws a `PreconditionFailedError` if the file is another one. */
  ifMatch?: string | undefined;
}

/** Options of writing a file. */
export interface WriteOptions extends RequestOptions {
  /** Replaces only the version with this entity tag. Throws a `PreconditionFailedError` otherwise. */
  ifMatch?: string | undefined;
  /** Writes only if there is no such file. Throws a `PreconditionFailedError` otherwise. */
  ifAbsent?: boolean | undefined;
  /** Permissions of a new file as octal digits, such as `755`. */
  mode?: string | undefined;
  /** `false` returns before the bytes are on the disk. */
  sync?: boolean | undefined;
}

/** Size and version of a file. */
export interface FileHead {
  /** Size in bytes, where the system knows it. */
  size: number | undefined;
  etag: string | undefined;
  /** Time of the last change. */
  modified: Date | undefined;
}

/** A page of the entries of a directory. */
export interface EntryPage {
  entries: FsEntry[];
  /** Cursor for the next page; absent on the last one. */
  next?: string;
}

type QueryOf<T extends keyof operations> = NonNullable<operations[T]["parameters"]["query"]>;

/** A search for names, contents or both. */
export type SearchQuery = Omit<QueryOf<"searchFs">, "path">;

/** How to pack a directory. */
export type DownloadOptions = Omit<QueryOf<"downloadFsBatch">, "path"> & RequestOptions;

/** The file system of the sandbox. Relative paths start at the workspace of the daemon. */
export class Files {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /** Reads a file, or a part of it. */
  async read(path: PathLike, options: ReadOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return readAll(await this.readStream(path, options));
  }

  /** Reads a file as text in UTF-8. */
  async readText(path: PathLike, options: ReadOptions = {}): Promise<string> {
    return new TextDecoder().decode(await this.read(path, options));
  }

  /** Opens a file for reading. Cancel the stream to stop early. */
  async readStream(path: PathLike, options: ReadOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const { start, end, ifMatch, ...request } = options;
    const headers = { Accept: "*/*", ...match(ifMatch), ...range(start, end) };
    return this.#http.stream("GET", "/v1/fs/file", { ...request, query: { path: value(path) }, headers });
  }

  /** Gets size and version of a file without its content. */
  async head(path: PathLike, options: RequestOptions = {}): Promise<FileHead> {
    const call = { ...options, query: { path: value(path) } };
    return this.#http.send("HEAD", "/v1/fs/file", call, ({ headers }) => {
      const [size, modified] = [headers.get("Content-Length"), headers.get("Last-Modified")];
      return {
        size: size === null ? undefined : Number(size),
        etag: headers.get("ETag") ?? undefined,
        modified: modified === null ? undefined : new Date(modified),
      };
    });
  }

  /** Gets type, size, permissions and version of an entry. A link is followed unless `follow` is false. */
  async stat(path: PathLike, options: { follow?: boolean } & RequestOptions = {}): Promise<FsStat> {
    const { follow, ...request } = options;
    return this.#http.json("GET", "/v1/fs/stat", { ...request, query: { path: value(path), follow } });
  }

  /** Writes a file, as a whole or not at all. Missing directories are created. Has no time limit by default. */
  async write(
    path: PathLike,
    content: FileContentSource,
    options: WriteOptions = {},
  ): Promise<FsWriteResponse> {
    const { ifMatch, ifAbsent, mode, sync, ...request } = options;
    const headers = {
      "Content-Type": "application/octet-stream",
      ...match(ifMatch),
      ...(ifAbsent === true ? { "If-None-Match": "*" } : {}),
    };
    const call: Call = {
      timeoutMs: 0,
      ...request,
      query: { path: value(path), mode, sync },
      headers,
      body: content as BodyInit,
      // A condition that held for a lost request no longer holds for its repetition.
      repeatable: ifMatch === undefined && ifAbsent !== true,
    };
    return this.#http.json("PUT", "/v1/fs/file", call);
  }

  /** Iterates over the entries of a directory, in pages of `limit` (1,000 by default). */
  async *entries(
    path?: PathLike,
    options: { limit?: number } & RequestOptions = {},
  ): AsyncGenerator<FsEntry, void, undefined> {
    const { limit = 1000, ...request } = options;
    let after: string | undefined;
    do {
      const page = await this.entryPage(path, { limit, ...(after === undefined ? {} : { after }) }, request);
      yield* page.entries;
      after = page.next;
    } while (after !== undefined);
  }

  /** Gets one page of the entries of a directory; all of them if there is no `limit`. */
  async entryPage(
    path?: PathLike,
    query: { limit?: number; after?: string } = {},
    options: RequestOptions = {},
  ): Promise<EntryPage> {
    const { limit, after } = query;
    const encoded = after === undefined ? undefined : { encoded: after };
    const call = { ...options, query: { path: value(path), limit, after: encoded } };
    return this.#http.send("GET", "/v1/fs/entries", call, async (response) => {
      const entries = (await response.json()) as FsEntry[];
      const next = cursor(response.headers.get("Link"));
      return next === undefined ? { entries } : { entries, next };
    });
  }

  /** Creates a directory and those above it. Succeeds if it exists. Returns its absolute path. */
  async mkdir(path: PathLike, options: RequestOptions = {}): Promise<string> {
    const call = { ...options, query: { path: value(path) }, repeatable: true };
    return (await this.#http.json<{ path: string }>("POST", "/v1/fs/mkdir", call)).path;
  }

  /** Moves a file or directory. An existing target is a `ConflictError`, unless `overwrite` is true. */
  async move(
    from: string,
    to: string,
    options: { overwrite?: boolean } & RequestOptions = {},
  ): Promise<{ from: string; to: string }> {
    const { overwrite = false, ...request } = options;
    const call = { timeoutMs: 0, ...request, json: { from, to, overwrite } };
    return this.#http.json("POST", "/v1/fs/move", call);
  }

  /** Deletes a file, a link or a directory; one that is not empty only with `recursive`. */
  async delete(path: PathLike, options: { recursive?: boolean } & RequestOptions = {}): Promise<void> {
    const { recursive, ...request } = options;
    const call = { timeoutMs: 0, ...request, query: { path: value(path), recursive }, repeatable: false };
    await this.#http.empty("DELETE", "/v1/fs/entry", call);
  }

  /** Unpacks a tar, tar.gz or tar.zst archive into a directory, as a whole or not at all. */
  async uploadBatch(
    archive: Exclude<FileContentSource, string>,
    options: { path?: PathLike } & RequestOptions = {},
  ): Promise<FsUploadBatchResponse> {
    const { path, ...request } = options;
    const headers = { "Content-Type": "application/x-tar" };
    const call = {
      timeoutMs: 0,
      ...request,
      query: { path: value(path) },
      headers,
      body: archive as BodyInit,
    };
    return this.#http.json("POST", "/v1/fs/upload-batch", call);
  }

  /** Packs a directory as a tar archive while it is read. */
  async downloadBatch(path?: PathLike, options: DownloadOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const { format, ignored, ...request } = options;
    const query = { path: value(path), format, ignored };
    return this.#http.stream("GET", "/v1/fs/download-batch", {
      ...request,
      query,
      headers: { Accept: "*/*" },
    });
  }

  /** Iterates over the changes of a file or directory until it is deleted. Reconnects by itself. */
  watch(path?: PathLike, options: WatchOptions = {}): AsyncIterableIterator<WatchEvent> {
    return watch(this.#http, value(path), options);
  }

  /** Iterates over everything below a directory that matches. */
  async *search(
    query: SearchQuery & { path?: PathLike },
    options: RequestOptions = {},
  ): AsyncGenerator<FsMatch, void, undefined> {
    let after = query.after;
    do {
      const page = await this.searchPage(after === undefined ? query : { ...query, after }, options);
      yield* page.matches;
      after = page.next;
    } while (after !== undefined);
  }

  /** Gets one page of matches. `next` continues the search as `after`. */
  async searchPage(
    query: SearchQuery & { path?: PathLike },
    options: RequestOptions = {},
  ): Promise<FsSearchResponse> {
    const call = { timeoutMs: 0, ...options, query: { ...query, path: value(query.path) } };
    return this.#http.json("GET", "/v1/fs/search", call);
  }
}

function value(path: PathLike | undefined): QueryValue {
  if (typeof path !== "object") return path;
  return path.encodedPath === undefined ? path.path : { encoded: path.encodedPath };
}

function match(etag: string | undefined): Record<string, string> {
  return etag === undefined ? {} : { "If-Match": etag };
}

function range(start: number | undefined, end: number | undefined): Record<string, string> {
  if (start === undefined && end === undefined) return {};
  if (end !== undefined && end <= (start ?? 0))
    throw new RangeError(`end ${end} is not after start ${start ?? 0}`);
  if (start !== undefined && start < 0) return { Range: `bytes=${start}` };
  return { Range: `bytes=${start ?? 0}-${end === undefined ? "" : end - 1}` };
}

/** Returns the cursor of `Link: <entries?…&after=…>; rel="next"`, still encoded, as names may be any bytes. */
function cursor(link: string | null): string | undefined {
  return /[?&]after=([^&>]*)[^>]*>;\s*rel="next"/.exec(link ?? "")?.[1];
}
