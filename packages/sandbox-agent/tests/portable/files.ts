// Files: contents in every form, ranges, versions, listings, archives, searches, watches.

import {
  ConflictError,
  NotFoundError,
  PayloadTooLargeError,
  PreconditionFailedError,
  RangeNotSatisfiableError,
  SandboxAgent,
  TooManyRequestsError,
  type WatchEvent,
} from "sandbox-agent";
import { check, collect, first, rejection, same } from "./assert.ts";
import type { Case } from "./case.ts";

const folder = (): string => `files-${crypto.randomUUID()}`;

export const cases: Case[] = [
  {
    name: "content goes in as text, bytes, blob and stream, and comes back as bytes, text and stream",
    async run(environment) {
      const { fs } = await SandboxAgent.connect(environment);
      const base = folder();
      const text = "Grüße, 世界\n";
      const bytes = new TextEncoder().encode(text);
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
          controller.close();
        },
      });
      for (const [index, content] of [text, bytes, bytes.buffer, new Blob([bytes]), stream].entries()) {
        const path = `${base}/${index}.txt`;
        same((await fs.write(path, content)).bytesWritten, bytes.length);
        same(await fs.readText(path), text);
        same([...(await fs.read(path))], [...bytes]);
        same(await new Response(await fs.readStream(path)).text(), text);
      }
    },
  },
  {
    name: "parts of a file are read by range",
    async run(environment) {
      const { fs } = await SandboxAgent.connect(environment);
      const path = `${folder()}/digits`;
      await fs.write(path, "0123456789");
      same(await fs.readText(path, { start: 2, end: 5 }), "234");
      same(await fs.readText(path, { start: 7 }), "789");
      same(await fs.readText(path, { start: -2 }), "89");
      same(await fs.readText(path, { end: 1 }), "0");
      await rejection(fs.read(path, { start: 10 }), RangeNotSatisfiableError);
      await rejection(fs.read(path, { start: 3, end: 3 }), RangeError);
    },
  },
  {
    name: "a version is replaced only if it is the expected one",
    async run(environment) {
      const { fs } = await SandboxAgent.connect(environment);
      const path = `${folder()}/version`;
      const { etag } = await fs.write(path, "one", { ifAbsent: true });
      await rejection(fs.write(path, "two", { ifAbsent: true }), PreconditionFailedError);
      const second = await fs.write(path, "two", { ifMatch: etag });
      await rejection(fs.write(path, "three", { ifMatch: etag }), PreconditionFailedError);
      await rejection(fs.read(path, { ifMatch: etag }), PreconditionFailedError);
      const head = await fs.head(path);
      same([head.size, head.etag], [3, second.etag]);
      check(
        head.modified !== undefined && Date.now() - head.modified.getTime() < 600_000,
        "modified is recent",
      );
      const error = await rejection(fs.head(`${path}-missing`), NotFoundError);
      check(error.requestId !== undefined, "an answer without body has a request id");
    },
  },
  {
    name: "directories are created, listed page by page, moved and deleted",
    async run(environment) {
      const { fs } = await SandboxAgent.connect(environment);
      const base = folder();
      const absolute = await fs.mkdir(`${base}/deep`);
      check(absolute.endsWith(`${base}/deep`), absolute);
      const names = Array.from({ length: 7 }, (_, index) => `name ${index} & ä`);
      for (const name of names) await fs.write(`${base}/deep/${name}`, name);
      const entries = await collect(fs.entries(`${base}/deep`, { limit: 3 }));
      same(entries.map((entry) => entry.name).sort(), names);
      const page = await fs.entryPage(`${base}/deep`, { limit: 3 });
      same([page.entries.length, page.next !== undefined], [3, true]);
      for await (const entry of fs.entries(`${base}/deep`, { limit: 2 })) {
        same(await fs.readText(entry), entry.name);
        break;
      }
      await fs.move(`${base}/deep`, `${base}/moved`);
      await fs.write(`${base}/other`, "");
      await rejection(fs.move(`${base}/other`, `${base}/moved`), ConflictError);
      await rejection(fs.delete(`${base}/moved`), ConflictError);
      await fs.delete(`${base}/moved`, { recursive: true });
      await rejection(fs.stat(`${base}/moved`), NotFoundError);
      same((await fs.stat(base)).entryType, "directory");
    },
  },
  {
    name: "a directory goes out as an archive and comes in again",
    async run(environment) {
      const { fs } = await SandboxAgent.connect(environment);
      const base = folder();
      await fs.write(`${base}/from/a/b.txt`, "inside");
      const archive = await new Response(await fs.downloadBatch(`${base}/from`, { format: "tar.gz" })).blob();
      const { entries } = await fs.uploadBatch(archive, { path: `${base}/to` });
      check(entries >= 1, "the archive has entries");
      same(await fs.readText(`${base}/to/a/b.txt`), "inside");
      const again = await fs.uploadBatch(await fs.downloadBatch(`${base}/from`), { path: `${base}/stream` });
      same(again.paths.length, 1);
    },
  },
  {
    name: "names and contents are searched page by page",
    async run(environment) {
      const { fs } = await SandboxAgent.connect(environment);
      const base = folder();
      for (const name of ["a.ts", "b.ts", "c.rs"])
        await fs.write(`${base}/${name}`, `needle in ${name}\nhay\n`);
      const named = await collect(fs.search({ path: base, name: "*.ts", limit: 1 }));
      same(
        named.map((match) => match.path.slice(-4)),
        ["a.ts", "b.ts"],
      );
      const lines = await collect(fs.search({ path: base, content: "NEEDLE", ignoreCase: true }));
      same(
        lines.map((match) => [match.line, match.text?.slice(0, 6)]),
        [
          [1, "needle"],
          [1, "needle"],
          [1, "needle"],
        ],
      );
    },
  },
  {
    name: "a watch reports changes, survives a restart, and ends with what it watches",
    async run(environment) {
      const { fs } = await SandboxAgent.connect(environment);
      const base = folder();
      await fs.mkdir(base);
      const changes = fs.watch(base);
      same((await changes.next()).value?.type, "ready");
      await fs.write(`${base}/new`, "");
      const change = await first(
        keepOpen(changes),
        (event) => event.type === "change" && event.path.endsWith("/new"),
      );
      check(change.type === "change" && change.kind !== "removed", JSON.stringify(change));
      const overflow = first(keepOpen(changes), (event) => event.type === "overflow");
      await environment.control("restart");
      check((await overflow).path.endsWith(base), "the watch says that changes may be missing");
      const rest = collect(changes);
      await fs.delete(base, { recursive: true });
      await rest;
      await rejection(fs.watch(base).next(), NotFoundError);
    },
  },
  {
    name: "leaving a watch frees it; too many at once and too large a file are refused",
    async run(environment) {
      const { fs } = await SandboxAgent.connect(environment);
      const base = folder();
      await fs.mkdir(base);
      // The daemon notices a bit later that a client has left.
      const open = async (): Promise<AsyncIterableIterator<WatchEvent>> => {
        for (;;) {
          const watch = fs.watch(base);
          const refused = await watch.next().then(
            () => undefined,
            (error: unknown) => error,
          );
          if (refused === undefined) return watch;
          if (!(refused instanceof TooManyRequestsError)) throw refused;
          await new Promise((resume) => setTimeout(resume, 10));
        }
      };
      for (let round = 0; round < 6; round += 1) await (await open()).return?.();
      const all = [await open(), await open(), await open(), await open()];
      await rejection(fs.watch(base).next(), TooManyRequestsError);
      for (const watch of all) await watch.return?.();
      await rejection(fs.write(`${base}/large`, new Uint8Array(4_194_305)), PayloadTooLargeError);
    },
  },
];

/** Lets a loop end without leaving the iterator. */
function keepOpen<T>(iterator: AsyncIterator<T>): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
}
