// A terminal that is attached while somebody looks at it.

import type { SandboxAgent } from "../client.ts";
import type { ProcessExit, ProcessTerminalSize } from "../generated/openapi.gen.ts";
import type { Terminal } from "../processes/terminal.ts";
import { BaseStore } from "./store.ts";

export type TerminalSnapshot =
  | { readonly state: "detached" }
  | { readonly state: "attaching" }
  | { readonly state: "attached" }
  | { readonly state: "exited"; readonly exit: ProcessExit }
  | { readonly state: "failed"; readonly error: unknown };

/** Receives the output of a terminal. */
export interface TerminalScreen {
  /** Output, the scrollback first. */
  onData(bytes: Uint8Array<ArrayBuffer>): void;
  /** The output starts again: clear the screen. */
  onReset?(): void;
}

/** Output that is kept for screens that come later, in bytes. */
const SCROLLBACK = 1024 * 1024;

/** Keeps one terminal attached. Its snapshot has the state only; output goes to screens, byte for byte. */
export class TerminalStore extends BaseStore<{ readonly terminal: TerminalSnapshot }> {
  readonly processId: string;
  readonly #client: SandboxAgent;
  readonly #screens = new Set<TerminalScreen>();
  #output: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  #terminal: Terminal | undefined;
  #size: ProcessTerminalSize | undefined;

  constructor(client: SandboxAgent, processId: string) {
    super({ terminal: { state: "detached" } });
    this.#client = client;
    this.processId = processId;
  }

  /** Sends all output to a screen, what came before included. Returns a function that ends this. */
  readonly show = (screen: TerminalScreen): (() => void) => {
    for (const chunk of this.#output) screen.onData(chunk);
    this.#screens.add(screen);
    return () => void this.#screens.delete(screen);
  };

  /** Types on the terminal. Returns false if it is not attached or takes no more input. */
  readonly write = (data: string | Uint8Array): boolean => {
    try {
      this.#terminal?.write(data);
      return this.#terminal !== undefined;
    } catch {
      return false;
    }
  };

  /** Changes the size, now or as soon as the terminal is attached. */
  readonly resize = (size: ProcessTerminalSize): void => {
    this.#size = size;
    this.#terminal?.resize(size);
  };

  /** Attaches again after a failure. */
  readonly reattach = (): void => this.restart();

  protected override async run(signal: AbortSignal): Promise<void> {
    // Not after the next run has begun.
    const onAbort = (): void => {
      this.#terminal = undefined;
      this.update({ terminal: { state: "detached" } });
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.update({ terminal: { state: "attaching" } });
    try {
      const terminal = await this.#client.processes.terminal(this.processId, { signal });
      signal.throwIfAborted();
      this.#reset();
      this.#terminal = terminal;
      terminal.onReset(() => this.#reset());
      terminal.onData((bytes) => this.#add(bytes));
      if (this.#size !== undefined) terminal.resize(this.#size);
      this.update({ terminal: { state: "attached" } });
      const exit = await terminal.exit;
      if (!signal.aborted) this.#finish({ state: "exited", exit });
    } catch (error) {
      if (!signal.aborted) this.#finish({ state: "failed", error });
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #finish(terminal: TerminalSnapshot): void {
    this.#terminal = undefined;
    this.update({ terminal });
  }

  #reset(): void {
    this.#output = [];
    this.#bytes = 0;
    for (const screen of this.#screens) screen.onReset?.();
  }

  #add(bytes: Uint8Array<ArrayBuffer>): void {
    this.#output.push(bytes);
    this.#bytes += bytes.length;
    while (this.#bytes > SCROLLBACK && this.#output.length > 1) {
      this.#bytes -= this.#output.shift()?.length ?? 0;
    }
    for (const screen of this.#screens) screen.onData(bytes);
  }
}
