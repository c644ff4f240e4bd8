// A directory that is followed live, and the files in it.

import { Backoff, sleep } from "acp-http-client/sse";
import type { SandboxAgent } from "../client.ts";
import { PreconditionFailedError } from "../errors/problems.ts";
import type { FileContentSource, PathLike } from "../files/content.ts";
import type { FsEntry } from "../generated/openapi.gen.ts";
import { isTransient } from "../http/failures.ts";
import { Refresh } from "./refresh.ts";
import { BaseStore, handled, LOADING, type Loading, READY } from "./store.ts";

export interface FilesSnapshot {
  readonly loading: Loading;
  readonly entries: readonly FsEntry[];
  /** True if the directory has more entries than are kept. */
  readonly isTruncated: boolean;
}

/** A file that was read. Pass `etag` to `write`, so that changes of others are not lost. */
export interface FileVersion {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly text: string;
  readonly etag: string | undefined;
}

/** Result of `write`. `conflict` means that somebody else changed the file: nothing was written. */
export type WriteResult = { readonly state: "written" } | { readonly state: "conflict" };

/** Most entries of a directory that are kept. */
const MAX_ENTRIES = 10_000;

export class FilesStore extends BaseStore<FilesSnapshot> {
  readonly path: string;
  readonly #client: SandboxAgent;
  #refresh: Refresh | undefined;

  constructor(client: SandboxAgent, path: string) {
    super({ loading: LOADING, entries: [], isTruncated: false });
    this.path = path;
    this.#client = client;
  }

  /** Reads the directory again. Changes in the sandbox are seen without that, unless `loading` is `failed`. */
  readonly refresh = (): void => {
    if (this.#refresh === undefined) this.restart();
    else this.#refresh.request();
  };

  /** Reads a file of any directory, with the version that it has. */
  readonly read = (path: PathLike): Promise<FileVersion> => handled(this.#read(path));

  /** Writes a file. With the `ifMatch` of an earlier `read`, a file that has changed since is a conflict. */
  readonly write = (
    path: PathLike,
    content: FileContentSource,
    options: { ifMatch?: string | undefined } = {},
  ): Promise<WriteResult> => handled(this.#write(path, content, options));

  readonly remove = (path: PathLike, options: { recursive?: boolean } = {}): Promise<void> =>
    handled(this.#client.fs.delete(path, options));

  readonly mkdir = (path: PathLike): Promise<string> => handled(this.#client.fs.mkdir(path));

  readonly move = (from: string, to: string): Promise<unknown> => handled(this.#client.fs.move(from, to));

  protected override async run(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff();
    const refresh = new Refresh(() => this.#list(signal));
    this.#refresh = refresh;
    while (!signal.aborted) {
      try {
        for await (const event of this.#client.fs.watch(this.path, {
          recursive: false,
          ignored: true,
          signal,
        })) {
          // Whatever changed before the watch was ready is in the list that is read now.
          refresh.request();
          if (event.type === "ready") backoff.reset();
        }
        throw new Error(`${this.path} is no longer there`);
      } catch (error) {
        if (signal.aborted) return;
        this.update({ loading: { state: "failed", error } });
        if (!isTransient(error)) {
          this.#refresh = undefined;
          return;
        }
        await sleep(backoff.next() ?? 0, signal).catch(() => {});
      }
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    try {
      const entries: FsEntry[] = [];
      let isTruncated = false;
      for await (const entry of this.#client.fs.entries(this.path, { signal })) {
        isTruncated = entries.length === MAX_ENTRIES;
        if (isTruncated) break;
        entries.push(entry);
      }
      this.update({ entries, isTruncated, loading: READY });
    } catch (error) {
      if (!signal.aborted) this.update({ loading: { state: "failed", error } });
    }
  }

  /** A file that is replaced between two requests is read again, so that the bytes belong to the version. */
  async #read(path: PathLike): Promise<FileVersion> {
    for (let attempt = 0; ; attempt += 1) {
      const { etag } = await this.#client.fs.head(path);
      try {
        const bytes = await this.#client.fs.read(path, { ifMatch: etag });
        return { bytes, text: new TextDecoder().decode(bytes), etag };
      } catch (error) {
        if (!(error instanceof PreconditionFailedError) || attempt === 4) throw error;
      }
    }
  }

  async #write(
    path: PathLike,
    content: FileContentSource,
    { ifMatch }: { ifMatch?: string | undefined },
  ): Promise<WriteResult> {
    try {
      await this.#client.fs.write(path, content, { ifMatch });
      return { state: "written" };
    } catch (error) {
      if (error instanceof PreconditionFailedError) return { state: "conflict" };
      throw error;
    }
  }
}
