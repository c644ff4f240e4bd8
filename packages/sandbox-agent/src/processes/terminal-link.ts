// Ways to a terminal: a WebSocket, or plain requests where there is none.

import { ConnectionError } from "../errors/errors.ts";
import type {
  ProcessExit,
  ProcessTerminalSize,
  TerminalServerFrame,
  Ticket,
} from "../generated/openapi.gen.ts";
import type { Http } from "../http/http.ts";
import { followOutput } from "./output.ts";

/** An open connection to a terminal. */
export interface TerminalLink {
  /** Bytes of input that were not sent yet. */
  readonly waiting: number;
  write(data: Uint8Array<ArrayBuffer>): void;
  resize(size: ProcessTerminalSize): void;
  close(): void;
}

/** Receives what a link reports. Nothing follows after `onExit` and `onLost`. */
export interface TerminalListener {
  onReady(link: TerminalLink): void;
  onOutput(bytes: Uint8Array<ArrayBuffer>): void;
  onNotice(message: string): void;
  onExit(exit: ProcessExit): void;
  onLost(cause: unknown): void;
}

export interface LinkTarget {
  http: Http;
  /** Path of the process. */
  path: string;
  /** Bytes of earlier output to get first; 1 MiB by default. */
  scrollback: number | undefined;
}

/** Opens a WebSocket. It is authenticated by a ticket, as browsers cannot send headers with it. */
export async function socketLink(
  { http, path, scrollback }: LinkTarget,
  signal: AbortSignal,
  listener: TerminalListener,
): Promise<void> {
  const { ticket } = await http.json<Ticket>("POST", "/v1/tickets", { json: {}, signal, repeatable: true });
  const url = http.url(`${path}/terminal/ws`, { ticket, scrollback }).replace(/^http/, "ws");
  signal.throwIfAborted();
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  let isOver = false;
  const over = (report: () => void): void => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener("abort", link.close);
    socket.close();
    report();
  };
  const link: TerminalLink = {
    get waiting() {
      return socket.bufferedAmount;
    },
    write: (data) => socket.send(data),
    resize: (size) => socket.send(JSON.stringify({ type: "resize", ...size })),
    close: () => over(() => {}),
  };
  signal.addEventListener("abort", link.close);
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (isOver) return;
    if (typeof data !== "string") {
      listener.onOutput(new Uint8Array(data));
      return;
    }
    const frame = JSON.parse(data) as TerminalServerFrame;
    if (frame.type === "ready") listener.onReady(link);
    else if (frame.type === "error") listener.onNotice(frame.message);
    else if (frame.type === "exit") {
      const { exitCode = null, signal = null, oomKilled } = frame;
      over(() => listener.onExit({ exitCode, signal, oomKilled }));
    }
  };
  const lost = (): void => over(() => listener.onLost(new ConnectionError("the terminal's WebSocket broke")));
  socket.onclose = lost;
  socket.onerror = lost;
}

/** Uses the log of the process for output and requests for input, one after the other. */
export async function requestLink(
  { http, path, scrollback }: LinkTarget,
  signal: AbortSignal,
  listener: TerminalListener,
): Promise<void> {
  const controller = new AbortController();
  const own = AbortSignal.any([signal, controller.signal]);
  let waiting = 0;
  let sending = Promise.resolve();
  const send = (rest: string, json: unknown, size: number): void => {
    waiting += size;
    const request = (): Promise<void> => http.empty("POST", `${path}${rest}`, { json, signal: own });
    sending = sending
      .then(request)
      .catch((error: unknown) => {
        if (!own.aborted) listener.onNotice(error instanceof Error ? error.message : String(error));
      })
      .finally(() => {
        waiting -= size;
      });
  };
  const read = async (): Promise<void> => {
    let exit: ProcessExit | undefined;
    const onExit = (reported: ProcessExit): void => {
      exit = reported;
    };
    const onGap = (): void => listener.onNotice("output was dropped before it was received");
    const follow = { tail: scrollback === 0 ? 0 : undefined, signal: own, onGap };
    try {
      for await (const { bytes } of followOutput(http, path, follow, onExit)) listener.onOutput(bytes);
      if (exit !== undefined) listener.onExit(exit);
    } catch (error) {
      if (!own.aborted) listener.onLost(error);
    }
  };
  void read();
  listener.onReady({
    get waiting() {
      return waiting;
    },
    write: (data) => {
      const text = String.fromCharCode(...data);
      send("/input", { data: btoa(text) }, data.length);
    },
    resize: (size) => send("/terminal/resize", size, 0),
    close: () => controller.abort(),
  });
}
