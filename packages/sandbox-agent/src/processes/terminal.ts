// A terminal of a process: output, input and size.

import { HandlerError } from "../errors/errors.ts";
import type { ProcessExit, ProcessTerminalSize } from "../generated/openapi.gen.ts";
import type { Http } from "../http/http.ts";
import { TerminalConnection, TerminalError } from "./terminal-connection.ts";
import { OutputQueue, type QueueEnd } from "./terminal-output.ts";

/** Options of `processes.terminal`. */
export interface TerminalOptions {
  /** Bytes of earlier output to get first, 1 MiB by default. Over requests, any number but 0 gets the whole log. */
  scrollback?: number | undefined;
  /**
   * `websocket`, or `requests` for runtimes and gateways without WebSocket. By default the WebSocket of the runtime, unless
   * there is none or the client has its own `fetch` or `headers`, which a WebSocket would bypass.
   */
  transport?: "websocket" | "requests" | undefined;
  /** Detaches with the signal's reason. */
  signal?: AbortSignal | undefined;
}

type Output = Uint8Array<ArrayBuffer>;

/** Attaches to the terminal of a process. */
export async function attach(
  http: Http,
  id: string,
  path: string,
  options: TerminalOptions,
): Promise<Terminal> {
  const terminal = new Terminal(http, id, path, options);
  await terminal.attached.catch((error: unknown) => {
    options.signal?.throwIfAborted();
    throw error;
  });
  return terminal;
}

/**
 * A terminal that runs in the sandbox. It attaches again when its connection breaks. `close` detaches and leaves the process
 * running.
 */
export class Terminal implements AsyncIterable<Uint8Array>, AsyncDisposable {
  readonly processId: string;
  /** Exit of the process. Rejects if the terminal is closed before, or cannot be reached any more. */
  readonly exit: Promise<ProcessExit>;
  readonly #connection: TerminalConnection;
  readonly #signal: AbortSignal | undefined;
  readonly #data = new Set<(bytes: Output) => void>();
  readonly #reset = new Set<() => void>();
  readonly #notice = new Set<(message: string) => void>();
  readonly #readers = new Set<OutputQueue<Output>>();
  /** Output before there is anybody who reads it. */
  #unread: OutputQueue<Output> = this.#queue();
  #end: QueueEnd | undefined;
  #settle: { resolve(exit: ProcessExit): void; reject(error: unknown): void } | undefined;

  /** @internal */
  constructor(http: Http, id: string, path: string, options: TerminalOptions) {
    const { transport = defaultTransport(http), scrollback, signal } = options;
    this.processId = id;
    this.#signal = signal;
    this.exit = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Those who wait for the exit get the error. Nobody has to.
    this.exit.catch(() => {});
    this.#connection = new TerminalConnection({ http, path, scrollback }, transport, {
      onReset: () => this.#onReset(),
      onOutput: (bytes) => this.#onOutput(bytes),
      onNotice: (message) => this.#report(message),
      onExit: (exit) => {
        this.#settle?.resolve(exit);
        this.#finish({ kind: "done" });
      },
      onFailed: (error) => this.#fail(error),
    });
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** @internal */
  get attached(): Promise<void> {
    return this.#connection.attached;
  }

  /** Calls the listener with all output, from what is on the screen on. Returns a function that removes it. */
  onData(listener: (bytes: Uint8Array<ArrayBuffer>) => void): () => void {
    // Not before the caller has the function that removes the listener.
    queueMicrotask(() => {
      if (this.#data.size > 0) for (const chunk of this.#unread.drain()) this.#call(this.#data, chunk);
    });
    return add(this.#data, listener);
  }

  /** Calls the listener before output is repeated after a lost connection, so that the screen can be cleared. */
  onReset(listener: () => void): () => void {
    return add(this.#reset, listener);
  }

  /** Calls the listener with problems that do not end the terminal, such as dropped output. */
  onNotice(listener: (message: string) => void): () => void {
    return add(this.#notice, listener);
  }

  /** Iterates over the output until the process exits. Leaving the loop does not detach; see `close`. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array<ArrayBuffer>> {
    const queue = this.#queue();
    for (const chunk of this.#unread.drain()) queue.push(chunk);
    if (this.#end === undefined) this.#readers.add(queue);
    else queue.close(this.#end);
    return queue;
  }

  /** Types on the terminal. Input waits while the connection is lost, up to 1 MiB. */
  write(data: string | Uint8Array): void {
    this.#connection.write(typeof data === "string" ? new TextEncoder().encode(data) : data);
  }

  /** Changes the size. All clients of a terminal share it. */
  resize(size: ProcessTerminalSize): void {
    this.#connection.resize(size);
  }

  /** Detaches. The process continues. */
  close(): void {
    if (this.#end !== undefined) return;
    this.#settle?.reject(new TerminalError("the terminal closed before the process exited"));
    this.#finish({ kind: "done" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  readonly #onAbort = (): void => this.#fail(this.#signal?.reason);

  #fail(error: unknown): void {
    this.#settle?.reject(error);
    this.#finish({ kind: "failed", error });
  }

  #finish(end: QueueEnd): void {
    this.#end ??= end;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#connection.close();
    for (const queue of this.#readers) queue.close(end);
    this.#readers.clear();
  }

  #onReset(): void {
    this.#unread.drain();
    this.#call(this.#reset);
  }

  #onOutput(bytes: Output): void {
    if (this.#data.size === 0 && this.#readers.size === 0) {
      this.#unread.push(bytes);
      return;
    }
    this.#call(this.#data, bytes);
    for (const queue of this.#readers) queue.push(bytes);
  }

  #report(message: string): void {
    this.#call(this.#notice, message);
  }

  /** Calls listeners. One that throws ends the terminal instead of the program. */
  #call<T extends unknown[]>(listeners: Set<(...args: T) => void>, ...args: T): void {
    try {
      for (const listener of listeners) listener(...args);
    } catch (cause) {
      this.#fail(new HandlerError(`a listener of the terminal of ${this.processId} failed`, { cause }));
    }
  }

  #queue(): OutputQueue<Output> {
    return new OutputQueue(
      () => this.#report("output was dropped because it was not read"),
      (queue) => this.#readers.delete(queue),
    );
  }
}

function add<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function defaultTransport({ options }: Http): "websocket" | "requests" {
  const hasSocket = typeof globalThis.WebSocket === "function";
  return hasSocket && options.fetch === undefined && options.headers === undefined ? "websocket" : "requests";
}
