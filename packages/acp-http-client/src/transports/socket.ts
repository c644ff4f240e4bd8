// One WebSocket: text frames in order, both ways with back-pressure.

import { AcpTransportError } from "../errors.ts";
import { IdleWatch } from "../sse/idle-watch.ts";

/** The part of a `WebSocket` that is used. Members beyond the standard are those of the package `ws`. */
export interface WebSocketLike {
  readonly bufferedAmount: number;
  readonly protocol: string;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: never) => void): void;
  on?(event: "ping", listener: () => void): unknown;
  pause?(): void;
  resume?(): void;
  terminate?(): void;
}

/** A class of sockets. Only the plain members are in the type, as libraries declare events differently. */
export type WebSocketConstructor = new (
  url: string,
  protocols: string[],
) => Pick<WebSocketLike, "bufferedAmount" | "protocol" | "send" | "close">;

/** Opens a socket. Browsers cannot send headers. */
export type OpenWebSocket = (
  url: string,
  protocols: string[],
  headers: Record<string, string>,
) => WebSocketLike;

/** The socket was closed, by the server or by the network. */
export class SocketClosedError extends AcpTransportError {
  override readonly name = "SocketClosedError";
  /** Code of the close frame, 1006 if there was none. */
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, options?: ErrorOptions) {
    super(`the socket was closed with code ${code}${reason === "" ? "" : `: ${reason}`}`, "unknown", options);
    this.code = code;
    this.reason = reason;
  }
}

/** Frames that may wait for the reader before the socket is paused, and their characters if it cannot be. */
const MAX_FRAMES = 64;
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** Bytes that may wait to be sent before the next message is held back. */
const MAX_BUFFERED = 1024 * 1024;
const DRAIN_MS = 10;
/** Longest wait for the other side's close frame. */
const CLOSE_MS = 1_000;
const NO_CLOSE_FRAME = 1006;

type State = { kind: "connecting" } | { kind: "open" } | { kind: "closed"; error: SocketClosedError };

export class Socket {
  /** Resolves once the socket is open; rejects if it closes before. */
  readonly opened: Promise<void>;
  /** Resolves once it is closed. */
  readonly closed: Promise<SocketClosedError>;

  readonly #socket: WebSocketLike;
  readonly #idle: IdleWatch;
  readonly #frames: string[] = [];
  #characters = 0;
  #paused = false;
  #state: State = { kind: "connecting" };
  #onFrame: (() => void) | undefined;
  #onOpened: () => void = () => undefined;
  #onClosed: (error: SocketClosedError) => void = () => undefined;
  #cause: unknown;

  constructor(socket: WebSocketLike, idleMs: number) {
    this.#socket = socket;
    this.#idle = new IdleWatch(idleMs, () => this.#fail(`no ping for ${idleMs} ms`));
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
    this.opened = new Promise((resolve, reject) => {
      this.#onOpened = resolve;
      void this.closed.then(reject);
    });
    // The rejection is for those who wait for it.
    this.opened.catch(() => undefined);
    socket.addEventListener("open", () => this.#open());
    socket.addEventListener("message", (event: { data: unknown }) => this.#receive(event.data));
    socket.addEventListener("error", (event: { error?: unknown; message?: unknown }) => {
      this.#cause = event.error ?? event.message;
    });
    socket.addEventListener("close", (event: { code: number; reason: string }) =>
      this.#close(event.code, event.reason),
    );
    // Only pings show that a silent server is alive, and only some sockets show pings.
    socket.on?.("ping", () => this.#idle.begin());
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  get isClosed(): boolean {
    return this.#state.kind === "closed";
  }

  /** Sends a frame. Resolves once there is room for the next one, or the socket is closed. */
  async send(text: string): Promise<void> {
    this.#socket.send(text);
    while (!this.isClosed && this.#socket.bufferedAmount > MAX_BUFFERED)
      await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
  }

  /** Returns the next frame, or `undefined` after the last one. */
  async next(): Promise<string | undefined> {
    while (this.#frames.length === 0 && !this.isClosed) {
      await new Promise<void>((resolve) => {
        this.#onFrame = resolve;
      });
    }
    const frame = this.#frames.shift();
    if (frame === undefined) return undefined;
    this.#characters -= frame.length;
    if (this.#paused && this.#frames.length < MAX_FRAMES / 2) {
      this.#paused = false;
      this.#socket.resume?.();
      this.#idle.begin();
    }
    return frame;
  }

  /** Closes the socket. Resolves when it is closed, at most a second later. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    // A paused socket would not see the other side's close frame.
    if (this.#paused) this.#socket.resume?.();
    this.#socket.close(1000);
    const timer = setTimeout(() => this.#fail("no close frame"), CLOSE_MS);
    await this.closed;
    clearTimeout(timer);
  }

  #open(): void {
    if (this.#state.kind !== "connecting") return;
    this.#state = { kind: "open" };
    this.#onOpened();
  }

  #receive(data: unknown): void {
    // ACP uses text frames only.
    if (typeof data !== "string" || this.isClosed) return;
    this.#frames.push(data);
    this.#characters += data.length;
    this.#onFrame?.();
    if (this.#frames.length < MAX_FRAMES || this.#paused) return;
    if (this.#socket.pause !== undefined) {
      this.#paused = true;
      this.#socket.pause();
      this.#idle.end();
    } else if (this.#characters > MAX_CHARACTERS) this.#fail("the reader is too slow");
  }

  #fail(reason: string): void {
    this.#close(NO_CLOSE_FRAME, reason);
    if (this.#socket.terminate === undefined) this.#socket.close();
    else this.#socket.terminate();
  }

  #close(code: number, reason: string): void {
    if (this.#state.kind === "closed") return;
    const error = new SocketClosedError(code, reason, { cause: this.#cause });
    this.#state = { kind: "closed", error };
    this.#idle.stop();
    this.#onFrame?.();
    this.#onClosed(error);
  }
}

interface Constructor {
  new (url: string, protocols: string[] | object, options?: object): WebSocketLike;
}

/**
 * Returns how to open sockets with a constructor. Third-party ones, such as that of `ws`, take headers as a third
 * argument; those of Node, Bun and Deno as a member of the second; those of browsers not at all.
 */
export function webSocketOpener(custom: WebSocketConstructor | undefined): OpenWebSocket {
  if (custom !== undefined) {
    const Custom = custom as unknown as Constructor;
    return (url, protocols, headers) => new Custom(url, protocols, { headers });
  }
  const Global = (globalThis as { WebSocket?: Constructor }).WebSocket;
  if (Global === undefined)
    throw new TypeError("no global WebSocket: pass one, such as that of the package ws");
  const isBrowser = "document" in globalThis || "importScripts" in globalThis;
  return (url, protocols, headers) =>
    isBrowser || Object.keys(headers).length === 0
      ? new Global(url, protocols)
      : new Global(url, { protocols, headers });
}
