// A TCP proxy between a client and a server that fails on demand, as networks and gateways do.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** The treatment of new connections. */
type Mode = "pass" | "stall" | "refuse";

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** Data is taken and not passed on, as on a network that is gone. */
  stalled: boolean;
}

/** Starts a proxy on a free port of loopback. Dispose of it to end all its connections. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const proxy = new TcpProxy(new URL(target));
  await proxy.listen();
  return proxy;
}

export class TcpProxy implements AsyncDisposable {
  /** Resets each new connection after this many milliseconds, as gateways with a limit do. */
  lifetimeMs: number | undefined;
  /** Connections that were accepted so far. */
  accepted = 0;
  /** Bytes of the server that were passed on so far. */
  received = 0;
  /** Bytes of clients that stalled connections took and did not pass on. */
  swallowed = 0;

  readonly #target: URL;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #mode: Mode = "pass";
  #cutAt = Number.POSITIVE_INFINITY;
  #cutOnRequest: ((text: string) => boolean) | undefined;

  constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((client) => this.#accept(client));
  }

  get baseUrl(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#pairs.size;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  /** Resets all connections. */
  cut(): void {
    for (const pair of this.#pairs) reset(pair);
  }

  /** Resets all connections once so many more bytes of the server have been passed on, in the middle of a frame. */
  cutAfter(bytes: number): void {
    this.#cutAt = this.received + bytes;
  }

  /** Passes a request on that the function recognizes, and resets its connection before the answer. */
  cutAnswerOf(isRequest: (text: string) => boolean): void {
    this.#cutOnRequest = isRequest;
  }

  /** Keeps connections open and passes nothing on. */
  stall(): void {
    this.#mode = "stall";
    for (const pair of this.#pairs) pair.stalled = true;
  }

  /** Closes every new connection. */
  refuse(): void {
    this.#mode = "refuse";
  }

  /** Works normally for new connections. Stalled ones stay stalled. */
  pass(): void {
    this.#mode = "pass";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(client: Socket): void {
    this.accepted += 1;
    if (this.#mode === "refuse") {
      client.resetAndDestroy();
      return;
    }
    const server = connect(Number(this.#target.port), this.#target.hostname);
    const pair: Pair = { client, server, stalled: this.#mode === "stall" };
    this.#pairs.add(pair);
    const { lifetimeMs } = this;
    const timer = lifetimeMs === undefined ? undefined : setTimeout(() => reset(pair), lifetimeMs);
    const end = (): void => {
      clearTimeout(timer);
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on("close", end).on("error", end);
    client.on("data", (data) => this.#toServer(pair, data));
    server.on("data", (data) => this.#toClient(pair, data));
  }

  #toServer(pair: Pair, data: Buffer): void {
    if (pair.stalled) {
      this.swallowed += data.length;
      return;
    }
    if (this.#cutOnRequest?.(data.toString("utf8"))) {
      this.#cutOnRequest = undefined;
      // The server keeps its end, as behind a gateway that gave up.
      pair.client.removeAllListeners("close").on("close", () => undefined);
      pair.stalled = true;
      pair.server.write(data, () => pair.client.resetAndDestroy());
      return;
    }
    pass(data, pair.client, pair.server);
  }

  #toClient(pair: Pair, data: Buffer): void {
    if (pair.stalled) return;
    const left = this.#cutAt - this.received;
    this.received += data.length;
    if (data.length < left) {
      pass(data, pair.server, pair.client);
      return;
    }
    this.#cutAt = Number.POSITIVE_INFINITY;
    pair.client.write(data.subarray(0, left), () => this.cut());
  }
}

function reset({ client, server }: Pair): void {
  client.resetAndDestroy();
  server.destroy();
}

/** Writes with back-pressure, so that a slow reader is slow for the writer too. */
function pass(data: Buffer, from: Socket, to: Socket): void {
  if (to.write(data)) return;
  from.pause();
  to.once("drain", () => from.resume());
}
