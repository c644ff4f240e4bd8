// Unpacks what is uploaded to sandboxes as a tar archive.

import type { FakeMachine } from "./machine.ts";

/** Unpacks the files of a tar archive. */
export function unpack(machine: FakeMachine, archive: Buffer): void {
  const field = (at: number, length: number): string =>
    archive.toString("utf8", at, at + length).split("\0")[0] ?? "";
  for (let at = 0; at + 512 <= archive.length && archive[at] !== 0; ) {
    const size = Number.parseInt(field(at + 124, 12), 8);
    const mode = Number.parseInt(field(at + 100, 8), 8);
    const kind = field(at + 156, 1);
    const content = archive.subarray(at + 512, at + 512 + size);
    if (kind === "0" || kind === "") machine.write(`/${field(at, 100)}`, content, mode);
    at += 512 + Math.ceil(size / 512) * 512;
  }
}
