// A TCP proxy in front of a daemon that breaks connections.

import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";

export class BreakingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Connections that were accepted. */
  connections = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Starts a proxy. With `lifetimeMs`, each connection is reset after this time. */
  static async start(target: string, lifetimeMs?: number): Promise<BreakingProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer();
    const proxy = new BreakingProxy(server);
    server.on("connection", (socket) => {
      proxy.connections += 1;
      const upstream = connect(Number(port), hostname);
      const timer =
        lifetimeMs === undefined ? undefined : setTimeout(() => socket.resetAndDestroy(), lifetimeMs);
      for (const [one, other] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        proxy.#sockets.add(one);
        one.on("error", () => {});
        one.on("close", () => {
          proxy.#sockets.delete(one);
          clearTimeout(timer);
          other.destroy();
        });
        one.pipe(other);
      }
    });
    await new Promise<void>((listen) => server.listen(0, "127.0.0.1", listen));
    return proxy;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resets all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((closed) => this.#server.close(closed));
  }
}
