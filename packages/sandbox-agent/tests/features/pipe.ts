// Named pipes, by which a test knows that a command of the agent runs, and holds it up.

import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** A pipe whose reader waits for `release`. */
export class Pipe {
  readonly #path: string;
  #writer: number | undefined;

  constructor(folder: string, name: string) {
    this.#path = join(folder, name);
    execFileSync("mkfifo", [this.#path]);
  }

  /** Waits until a command reads the pipe. */
  async read(): Promise<void> {
    await expect
      .poll(() => this.#open(), { timeout: 60_000, message: `a reader of ${this.#path}` })
      .toBe(true);
  }

  /** Gives its reader the text and the end. */
  release(text: string): void {
    if (this.#writer === undefined) throw new Error(`nobody reads ${this.#path}`);
    writeSync(this.#writer, text);
    closeSync(this.#writer);
    this.#writer = undefined;
  }

  #open(): boolean {
    try {
      this.#writer ??= openSync(this.#path, constants.O_WRONLY | constants.O_NONBLOCK);
      return true;
    } catch {
      return false;
    }
  }
}
