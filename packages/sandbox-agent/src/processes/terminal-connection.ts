// Keeps a terminal attached: connects again when a link breaks, and holds input meanwhile.

import { Backoff, sleep } from "acp-http-client/sse";
import { SandboxAgentError } from "../errors/errors.ts";
import type { ProcessTerminalSize } from "../generated/openapi.gen.ts";
import { isTransient } from "../http/failures.ts";
import { DEFAULT_RECONNECT } from "../http/http.ts";
import {
  type LinkTarget,
  requestLink,
  socketLink,
  type TerminalLink,
  type TerminalListener,
} from "./terminal-link.ts";

/** The terminal is closed, or too much input waits. */
export class TerminalError extends SandboxAgentError {
  override name = "TerminalError";
}

/** Receives what a connection reports. Nothing follows after `onExit` and `onFailed`. */
export interface ConnectionListener extends Pick<TerminalListener, "onOutput" | "onNotice" | "onExit"> {
  /** Output follows that was received before. */
  onReset(): void;
  onFailed(error: unknown): void;
}

/** Most input that waits to be sent, in bytes. */
const MAX_INPUT_BYTES = 1024 * 1024;

/** Bytes of one message, well below the daemon's limit of 64 KiB. */
const MESSAGE_BYTES = 16 * 1024;

type State =
  | { kind: "attached"; link: TerminalLink }
  | { kind: "detached"; input: Uint8Array<ArrayBuffer>[] }
  | { kind: "closed" };

export class TerminalConnection {
  /** Settles with the first attempt to attach. */
  readonly attached: Promise<void>;
  readonly #target: LinkTarget;
  readonly #transport: "websocket" | "requests";
  readonly #listener: ConnectionListener;
  readonly #controller = new AbortController();
  readonly #backoff: Backoff;
  #state: State = { kind: "detached", input: [] };
  #size: ProcessTerminalSize | undefined;
  #wasAttached = false;

  constructor(target: LinkTarget, transport: "websocket" | "requests", listener: ConnectionListener) {
    this.#target = target;
    this.#transport = transport;
    this.#listener = listener;
    this.#backoff = new Backoff(target.http.options.reconnect ?? DEFAULT_RECONNECT);
    this.attached = new Promise((resolve, reject) => {
      this.#serve(resolve).catch((error: unknown) => {
        const wasOpen = this.#state.kind !== "closed";
        this.close();
        reject(error);
        if (wasOpen) listener.onFailed(error);
      });
    });
    this.attached.catch(() => {});
  }

  write(bytes: Uint8Array): void {
    const state = this.#state;
    if (state.kind === "closed") throw new TerminalError("the terminal is closed");
    const waiting =
      state.kind === "attached"
        ? state.link.waiting
        : state.input.reduce((total, chunk) => total + chunk.length, 0);
    if (waiting + bytes.length > MAX_INPUT_BYTES)
      throw new TerminalError(`${waiting} bytes of input wait; the limit is ${MAX_INPUT_BYTES}`);
    for (let start = 0; start < bytes.length; start += MESSAGE_BYTES) {
      const chunk = new Uint8Array(bytes.slice(start, start + MESSAGE_BYTES));
      if (state.kind === "attached") state.link.write(chunk);
      else state.input.push(chunk);
    }
  }

  resize(size: ProcessTerminalSize): void {
    this.#size = size;
    if (this.#state.kind === "attached") this.#state.link.resize(size);
  }

  close(): void {
    if (this.#state.kind === "attached") this.#state.link.close();
    this.#state = { kind: "closed" };
    this.#controller.abort();
  }

  /** Connects whenever there is no link. Throws once that is of no use. */
  async #serve(onAttached: () => void): Promise<void> {
    const { signal } = this.#controller;
    for (;;) {
      try {
        await this.#connect(onAttached);
        if (this.#state.kind === "closed") return;
      } catch (error) {
        signal.throwIfAborted();
        const delay = isTransient(error) ? this.#backoff.next() : undefined;
        if (delay === undefined) throw error;
        await sleep(delay, signal);
      }
    }
  }

  /** Opens a link and waits until the process exits, or throws once the link is lost. */
  async #connect(onAttached: () => void): Promise<void> {
    const { http, path } = this.#target;
    const { signal } = this.#controller;
    // A WebSocket does not say why it was refused; a request does.
    if (this.#wasAttached) await http.empty("GET", path, { signal });
    const open = this.#transport === "websocket" ? socketLink : requestLink;
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      const listener: TerminalListener = {
        onReady: (link) => {
          this.#adopt(link);
          onAttached();
        },
        onOutput: this.#listener.onOutput,
        onNotice: this.#listener.onNotice,
        onExit: (exit) => {
          signal.removeEventListener("abort", onAbort);
          this.close();
          this.#listener.onExit(exit);
          resolve();
        },
        onLost: (cause) => {
          signal.removeEventListener("abort", onAbort);
          if (this.#state.kind === "attached") this.#state = { kind: "detached", input: [] };
          reject(cause);
        },
      };
      open(this.#target, signal, listener).catch(reject);
    });
  }

  #adopt(link: TerminalLink): void {
    const state = this.#state;
    if (state.kind !== "detached") {
      link.close();
      return;
    }
    this.#state = { kind: "attached", link };
    // Requests continue where they were; a WebSocket starts with what is on the screen.
    if (this.#wasAttached && this.#transport === "websocket") this.#listener.onReset();
    this.#wasAttached = true;
    this.#backoff.reset();
    if (this.#size !== undefined) link.resize(this.#size);
    for (const chunk of state.input) link.write(chunk);
  }
}
