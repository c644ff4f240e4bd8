// Ports of this machine whose connections are carried to a pod by the API server.
/// <reference types="node" />

import { createServer, type Server, type Socket } from "node:net";

/** Carries one connection to a port of the pod. */
export type Forward = (port: number, socket: Socket) => Promise<void>;

export class PortForwarder {
  readonly #forward: Forward;
  readonly #servers = new Map<number, Promise<Server>>();
  readonly #sockets = new Set<Socket>();

  constructor(forward: Forward) {
    this.#forward = forward;
  }

  /** Returns the local port that leads to a port of the pod. */
  async listen(port: number): Promise<number> {
    let server = this.#servers.get(port);
    if (server === undefined) {
      server = this.#serve(port);
      this.#servers.set(port, server);
    }
    const address = (await server).address();
    if (typeof address !== "object" || address === null) throw new Error("the sandbox was destroyed");
    return address.port;
  }

  /** Ends all connections. */
  close(): void {
    for (const server of this.#servers.values()) void server.then((one) => one.close());
    for (const socket of this.#sockets) socket.destroy();
    this.#servers.clear();
  }

  async #serve(port: number): Promise<Server> {
    const server = createServer((socket) => this.#carry(port, socket));
    // A sandbox that nobody destroys must not keep this process alive.
    server.unref();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    return server;
  }

  #carry(port: number, socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#sockets.delete(socket));
    this.#forward(port, socket).catch(() => socket.destroy());
  }
}
