// Plays E2B: its API, the agent in its sandboxes (Connect over HTTP) and its gateway.

import type { IncomingMessage, ServerResponse } from "node:http";
import { FakeMachine } from "./machine.ts";
import { bytes, FakeProvider, forward, json, uploaded } from "./provider.ts";

interface StartRequest {
  process: { cmd: string; args: string[]; envs?: Record<string, string> };
}

export const E2B_DOMAIN = "e2b.test";

export class FakeE2b extends FakeProvider {
  readonly trafficToken = "traffic-secret";
  paused = new Set<string>();

  /** Variables for the SDK. */
  get env(): Record<string, string> {
    const key = `e2b_${"0".repeat(40)}`;
    return { E2B_API_KEY: key, E2B_DOMAIN, E2B_API_URL: this.url, E2B_SANDBOX_URL: this.url };
  }

  /** Returns this server for the names of sandboxes. */
  resolve = (host: string): string | undefined => (host.endsWith(E2B_DOMAIN) ? this.url : undefined);

  protected async handle(message: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const host = message.headers["x-forwarded-host"];
    if (typeof host === "string") return this.#gateway(host, message, response);
    const inside = message.headers["e2b-sandbox-id"];
    if (typeof inside === "string") return this.#agent(inside, message, response, url);
    const [, id = "", action = ""] = url.pathname.split("/sandboxes")[1]?.split("/") ?? [];
    if (message.method === "POST" && id === "") {
      await this.before("create");
      const made = this.add(new FakeMachine(this.nextId(), "/home/user"));
      return json(response, 201, this.#describe(made.id));
    }
    const machine = this.machines.get(id);
    if (machine === undefined) return json(response, 404, { code: 404, message: `sandbox ${id} not found` });
    if (message.method === "DELETE") {
      await this.remove(id);
      response.writeHead(204).end();
    } else if (action === "pause") {
      machine.signal("SIGSTOP");
      this.paused.add(id);
      response.writeHead(204).end();
    } else if (action === "connect") {
      machine.signal("SIGCONT");
      this.paused.delete(id);
      json(response, 200, this.#describe(id));
    } else this.notFound(message, response);
  }

  #describe(id: string): object {
    return {
      sandboxID: id,
      templateID: "base",
      clientID: "client",
      envdVersion: "0.6.0",
      envdAccessToken: "envd-secret",
      trafficAccessToken: this.trafficToken,
      domain: E2B_DOMAIN,
    };
  }

  #gateway(host: string, message: IncomingMessage, response: ServerResponse): void {
    const [port, id = ""] = (host.split(".")[0] ?? "").split("-");
    if (message.headers["e2b-traffic-access-token"] !== this.trafficToken || !this.machines.has(id)) {
      response.writeHead(403).end("forbidden");
    } else if (this.paused.has(id)) response.writeHead(502).end("paused");
    else forward(message, response, Number(port), message.url ?? "/");
  }

  async #agent(id: string, message: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const machine = this.machines.get(id);
    if (machine === undefined) return json(response, 404, { message: "no sandbox" });
    if (url.pathname === "/files") {
      await this.before("upload");
      const path = url.searchParams.get("path") ?? "";
      machine.write(path, (await uploaded(message)).file);
      return json(response, 200, [{ path, name: "file", type: "file" }]);
    }
    if (url.pathname !== "/process.Process/Start") return this.notFound(message, response);
    const { process: wanted } = JSON.parse((await bytes(message)).subarray(5).toString()) as StartRequest;
    await this.beforeCommand(wanted.args.join(" "));
    this.#start(machine, wanted, response);
  }

  /** Streams the events of a process. The process outlives the stream. */
  #start(machine: FakeMachine, { cmd, args, envs }: StartRequest["process"], response: ServerResponse): void {
    const child = machine.start(
      [cmd === "/bin/bash" ? "bash" : cmd, ...args.filter((one) => one !== "-l")],
      envs,
    );
    response.writeHead(200, { "Content-Type": "application/connect+json" });
    const send = (event: object): void => void response.write(envelope(0, { event }));
    send({ start: { pid: child.pid } });
    child.stdout?.on("data", (data: Buffer) => send({ data: { stdout: data.toString("base64") } }));
    child.stderr?.on("data", (data: Buffer) => send({ data: { stderr: data.toString("base64") } }));
    child.once("close", (exitCode) => {
      send({ end: { exitCode: exitCode ?? 137, exited: true, status: `exit status ${exitCode}` } });
      response.end(envelope(2, {}));
    });
    child.stdin?.end();
  }

  protected override refuse(response: ServerResponse, message: string): void {
    json(response, 400, { code: 400, message });
  }
}

/** Frames a message of the Connect protocol. */
function envelope(flags: number, value: object): Buffer {
  const text = Buffer.from(JSON.stringify(value));
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(text.length, 1);
  return Buffer.concat([head, text]);
}
