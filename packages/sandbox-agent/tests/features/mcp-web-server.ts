// The MCP server over HTTP, in the current form (`/mcp`) and in the older one (`/sse` and `/messages`).

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { answer } from "./mcp-protocol.js";

/** Header that a client has to send, so that headers are known to arrive. */
export const SECRET = { "X-Suite-Secret": "sesame" };

export class McpWebServer implements AsyncDisposable {
  /** Requests so far. */
  requests = 0;
  readonly #greeting: string;
  readonly #server: Server;
  /** Takes the answers to what is posted, in the older form. */
  #listener: ServerResponse | undefined;

  private constructor(greeting: string) {
    this.#greeting = greeting;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(greeting: string): Promise<McpWebServer> {
    const server = new McpWebServer(greeting);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  url(path: "/mcp" | "/sse"): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    const body = await text(request);
    const path = request.url?.replace(/\?.*/, "");
    if (path === "/messages") return this.#post(body, response);
    if (request.headers["x-suite-secret"] !== SECRET["X-Suite-Secret"]) return end(response, 403);
    if (path === "/sse" && request.method === "GET") return this.#listen(response);
    if (path !== "/mcp" || request.method !== "POST") return end(response, 405);
    const reply = answer(JSON.parse(body), this.#greeting);
    if (reply === undefined) return end(response, 202);
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(reply));
  }

  #listen(response: ServerResponse): void {
    this.#listener = response;
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write("event: endpoint\ndata: /messages\n\n");
  }

  #post(body: string, response: ServerResponse): void {
    const reply = answer(JSON.parse(body), this.#greeting);
    if (reply !== undefined) this.#listener?.write(`event: message\ndata: ${JSON.stringify(reply)}\n\n`);
    end(response, 202);
  }
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
