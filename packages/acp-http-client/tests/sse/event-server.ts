// A real HTTP server whose answers the test scripts, one for each request.

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export class EventServer implements AsyncDisposable {
  readonly url: string;
  /** `Last-Event-ID` of each request so far. */
  readonly requested: (string | undefined)[] = [];
  readonly sockets: Set<Socket> = new Set();
  readonly #server: Server;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  /** Answers the first request with the first answer, and so on; the last answer repeats. */
  static async start(...answers: Answer[]): Promise<EventServer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const events = new EventServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    server.on("connection", (socket) => {
      events.sockets.add(socket);
      socket.on("close", () => events.sockets.delete(socket));
    });
    server.on("request", (request, response) => {
      const id = request.headers["last-event-id"];
      const answer = answers[Math.min(events.requested.length, answers.length - 1)];
      events.requested.push(typeof id === "string" ? id : undefined);
      answer?.(request, response);
    });
    return events;
  }

  /** Opens the stream as a client of `resumeEvents` would. */
  readonly open = (lastEventId: string | undefined, signal: AbortSignal): Promise<Response> =>
    fetch(this.url, { signal, headers: lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId } });

  /** Resolves once no client is connected. */
  async quiet(): Promise<void> {
    while (this.sockets.size > 0) {
      const [socket] = this.sockets;
      if (socket === undefined || socket.destroyed) break;
      // Not `once`, which fails at an error: a client that leaves with bytes unread resets the connection.
      await new Promise((resolve) => socket.once("close", resolve));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    if (this.#server.listening) await once(this.#server, "close");
  }
}

/** Answers with events: the given text, and then the end, a cut, or silence. */
export function stream(text: string | Uint8Array, then: "end" | "cut" | "hold"): Answer {
  return (_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.flushHeaders();
    response.write(text, () => {
      if (then === "end") response.end();
      if (then === "cut") response.socket?.destroy();
    });
  };
}

/** Answers with a status and a body. */
export function status(code: number, headers: Record<string, string> = {}, text = ""): Answer {
  return (_, response) => response.writeHead(code, headers).end(text);
}

/** Never answers. */
export const silence: Answer = () => undefined;
