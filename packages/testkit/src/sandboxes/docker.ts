// Plays the Docker engine.

import type { IncomingMessage, ServerResponse } from "node:http";
import { FakeContainer } from "./containers.ts";
import { body, bytes, FakeProvider, json } from "./provider.ts";
import { unpack } from "./unpack.ts";

interface CreateRequest {
  Image: string;
  Entrypoint: string[];
  Cmd: string[];
  Env: string[];
  HostConfig: { PortBindings: Record<string, { HostIp: string; HostPort: string }[]> };
}

export class FakeDocker extends FakeProvider {
  /** Images that need not be pulled. */
  readonly images = new Set<string>();
  readonly #ports = new Map<string, number[]>();

  /** Variables for the client. */
  get env(): Record<string, string> {
    return { DOCKER_HOST: `tcp://127.0.0.1:${this.port}` };
  }

  protected async handle(message: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [, kind, id = "", action = ""] = url.pathname.split("/");
    if (kind === "images" && id === "create") {
      this.images.add(`${url.searchParams.get("fromImage")}:${url.searchParams.get("tag") ?? "latest"}`);
      return json(response, 200, { status: "done" });
    }
    if (id === "create") return this.#create(message, response);
    const container = this.machines.get(id) as FakeContainer | undefined;
    if (container === undefined) return json(response, 404, { message: `No such container: ${id}` });
    if (message.method === "DELETE") {
      await this.remove(id);
      response.writeHead(204).end();
    } else if (action === "json") json(response, 200, await this.#inspect(container));
    else if (action === "logs") response.end(frame(container.output));
    else await this.#change(container, action, message, response);
  }

  async #create(message: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.before("create");
    const { Image, Entrypoint, Cmd, Env, HostConfig } = await body<CreateRequest>(message);
    if (!this.images.has(Image)) return json(response, 404, { message: `No such image: ${Image}` });
    const env = Object.fromEntries(Env.map((one) => one.split(/=(.*)/s).slice(0, 2) as [string, string]));
    const container = this.add(new FakeContainer(this.nextId(), [...Entrypoint, ...Cmd], env));
    const ports = Object.keys(HostConfig.PortBindings).map((one) => Number.parseInt(one, 10));
    this.#ports.set(container.id, ports);
    json(response, 201, { Id: container.id, Warnings: [] });
  }

  async #inspect(container: FakeContainer): Promise<object> {
    const { isRunning: Running, isPaused: Paused, exitCode: ExitCode = 0 } = container;
    const Ports: Record<string, object> = {};
    for (const port of Running ? (this.#ports.get(container.id) ?? []) : []) {
      Ports[`${port}/tcp`] = [{ HostIp: "127.0.0.1", HostPort: String(await container.publish(port)) }];
    }
    return { Id: container.id, State: { Running, Paused, ExitCode }, NetworkSettings: { Ports } };
  }

  async #change(
    container: FakeContainer,
    action: string,
    message: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (action === "archive") {
      await this.before("upload");
      unpack(container, await bytes(message));
      response.writeHead(200).end();
      return;
    }
    if (action === "start") {
      await this.before("start");
      container.launch();
    } else if (action === "stop") await container.stop();
    else if (action === "pause" || action === "unpause") {
      container.isPaused = action === "pause";
      container.signal(action === "pause" ? "SIGSTOP" : "SIGCONT");
    } else return this.notFound(message, response);
    response.writeHead(204).end();
  }
}

/** Frames output as an engine does for containers without a terminal. */
function frame(text: string): Buffer {
  const content = Buffer.from(text);
  const head = Buffer.alloc(8);
  head.writeUInt8(1, 0);
  head.writeUInt32BE(content.length, 4);
  return Buffer.concat([head, content]);
}
