// Containers of the fakes of Docker and Kubernetes: the main process really runs, its ports are published by proxies.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { FakeMachine } from "./machine.ts";

export class FakeContainer extends FakeMachine {
  readonly command: readonly string[];
  /** Exit code of the main process, once it has ended. */
  exitCode: number | undefined;
  isRunning = false;
  isPaused = false;
  /** Output of the main process. */
  output = "";
  readonly #published = new Map<number, Server>();

  constructor(id: string, command: readonly string[], env: Record<string, string>) {
    super(id, "/opt/sandbox-agent", env);
    this.command = command;
  }

  launch(): void {
    const child = this.start(this.command);
    this.isRunning = true;
    this.exitCode = undefined;
    const read = (text: string): void => {
      this.output += text;
    };
    child.stdout?.setEncoding("utf8").on("data", read);
    child.stderr?.setEncoding("utf8").on("data", read);
    const end = (code: number): void => {
      this.isRunning = false;
      this.exitCode = code;
    };
    child.once("error", (error) => {
      this.output += error.message;
      end(127);
    });
    child.once("close", (code) => end(code ?? 137));
  }

  /** Publishes a port on a free port of loopback and returns that. */
  async publish(port: number): Promise<number> {
    let server = this.#published.get(port);
    if (server === undefined) {
      server = createServer((socket) => pipeTo(socket, port));
      this.#published.set(port, server);
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
    }
    return (server.address() as AddressInfo).port;
  }

  override async stop(): Promise<void> {
    for (const server of this.#published.values()) server.close();
    this.#published.clear();
    await super.stop();
  }
}

function pipeTo(socket: Socket, port: number): void {
  const target = connect(port, "127.0.0.1");
  socket.on("error", () => target.destroy());
  target.on("error", () => socket.destroy());
  socket.pipe(target).pipe(socket);
}
