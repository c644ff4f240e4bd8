// Output of the daemon, line by line: passed on as it comes, the newest lines kept.
/// <reference types="node" />

import type { Readable } from "node:stream";

const KEPT_LINES = 200;
/** A longer line is cut into pieces of this length. */
const LINE_CHARACTERS = 16_384;

export class Output {
  readonly #kept: string[] = [];
  readonly #listeners = new Set<(line: string) => void>();

  /** Reads a stream until it ends. */
  read(stream: Readable): void {
    let rest = "";
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#add(line.replace(/\r$/, ""));
      while (rest.length > LINE_CHARACTERS) {
        this.#add(rest.slice(0, LINE_CHARACTERS));
        rest = rest.slice(LINE_CHARACTERS);
      }
    });
    stream.once("end", () => {
      if (rest !== "") this.#add(rest);
      rest = "";
    });
    // A stream that breaks has nothing more to say; how the process ended is reported elsewhere.
    stream.on("error", () => {});
  }

  /** Calls `listener` for every further line until the returned function is called. */
  onLine(listener: (line: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  lines(): string[] {
    return [...this.#kept];
  }

  #add(line: string): void {
    this.#kept.push(line);
    if (this.#kept.length > KEPT_LINES) this.#kept.shift();
    for (const listener of this.#listeners) listener(line);
  }
}
