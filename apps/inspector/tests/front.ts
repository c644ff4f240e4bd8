// Stands in front of a daemon, at one origin with it: `/ui/` comes from the build, everything else from the daemon.
// With a prefix it is a gateway that removes the prefix from the path before it passes a request on.

import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { extname, join } from "node:path";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

export interface FrontOptions {
  dist: string;
  policy: string;
  /** Address of the daemon. */
  daemon: () => string;
  /** Path before everything, such as `/sandboxes/a`. */
  prefix?: string;
}

export class Front {
  readonly #server: Server;
  readonly #options: FrontOptions;
  /** Connections that became WebSockets, which the server no longer knows. */
  readonly #sockets = new Set<Socket>();

  private constructor(options: FrontOptions) {
    this.#options = options;
    this.#server = createServer((incoming, response) => this.#serve(incoming, response));
    this.#server.on("upgrade", (incoming, socket, head) => this.#upgrade(incoming, socket as Socket, head));
  }

  static async start(options: FrontOptions): Promise<Front> {
    const front = new Front(options);
    await new Promise<void>((resolve) => front.#server.listen(0, "127.0.0.1", resolve));
    return front;
  }

  get baseUrl(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${this.#options.prefix ?? ""}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(incoming: IncomingMessage, response: ServerResponse): void {
    const { prefix = "" } = this.#options;
    if (!incoming.url?.startsWith(`${prefix}/`)) {
      response.writeHead(404).end();
      return;
    }
    incoming.url = incoming.url.slice(prefix.length);
    const path = new URL(incoming.url, this.baseUrl).pathname;
    if (path.startsWith("/ui/")) this.#file(path.slice("/ui/".length), response);
    else this.#pass(incoming, response);
  }

  #file(path: string, response: ServerResponse): void {
    const file = join(this.#options.dist, path === "" ? "index.html" : path);
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "Content-Type": type, "Content-Security-Policy": this.#options.policy });
    response.end(readFileSync(file));
  }

  /** A daemon that is gone looks like a connection that breaks, as it would without this server. */
  #pass(incoming: IncomingMessage, response: ServerResponse): void {
    const { method = "GET", url = "/", headers } = incoming;
    const forward = request(new URL(url, this.#options.daemon()), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    forward.on("error", () => response.destroy());
    response.on("close", () => forward.destroy());
    incoming.pipe(forward);
  }

  #upgrade(incoming: IncomingMessage, socket: Socket, head: Buffer): void {
    const target = new URL(this.#options.daemon());
    const upstream = connect(Number(target.port), target.hostname, () => {
      const url = incoming.url?.slice(this.#options.prefix?.length ?? 0);
      const lines = [`${incoming.method} ${url} HTTP/1.1`];
      for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
        lines.push(`${incoming.rawHeaders[index]}: ${incoming.rawHeaders[index + 1]}`);
      }
      upstream.write(`${lines.join("\r\n")}\r\n\r\n`);
      upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
    this.#sockets.add(socket);
    upstream.on("close", () => socket.destroy());
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
    socket.on("close", () => {
      upstream.destroy();
      this.#sockets.delete(socket);
    });
  }
}
