// Plays Vercel Sandbox: its API and the public addresses of its sandboxes.

import type { IncomingMessage, ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { FakeMachine } from "./machine.ts";
import { body, bytes, FakeProvider, forward, json } from "./provider.ts";
import { unpack } from "./unpack.ts";

interface VercelMachine extends FakeMachine {
  ports: number[];
  /** Number of the session, which is part of addresses: they change when a sandbox is resumed. */
  session: number;
  status: "running" | "stopped";
}

interface RunRequest {
  command: string;
  args: string[];
  env?: Record<string, string>;
  wait?: boolean;
}

const CWD = "/vercel/sandbox";

export class FakeVercel extends FakeProvider {
  /** Credentials for the SDK. */
  readonly access = { token: "token", teamId: "team", projectId: "project" };
  #commands = 0;

  /** Returns this server for the API and for the names of sandboxes. */
  resolve = (host: string): string | undefined =>
    host === "vercel.com" || host.endsWith(".vercel.run") ? this.url : undefined;

  protected async handle(message: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const host = String(message.headers["x-forwarded-host"]);
    if (host.endsWith(".vercel.run")) return this.#public(host, message, response);
    const [, , , , name = "", id = "", action = "", part = ""] = url.pathname.split("/");
    if (name === "") return this.#create(message, response);
    const key = name === "sessions" ? (id.split("_")[0] ?? "") : decodeURIComponent(name);
    const machine = this.machines.get(key) as VercelMachine | undefined;
    if (machine === undefined)
      return json(response, 404, { error: { code: "not_found", message: "not found" } });
    if (name === "sessions") return this.#session(machine, action, part, message, response);
    if (message.method === "DELETE") {
      await this.remove(key);
      return json(response, 200, { sandbox: this.#sandbox(machine) });
    }
    if (url.searchParams.get("resume") === "true" && machine.status === "stopped") {
      machine.status = "running";
      machine.session += 1;
    }
    json(response, 200, this.#describe(machine));
  }

  async #create(message: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.before("create");
    const { ports = [], env = {} } = await body<{ ports?: number[]; env?: Record<string, string> }>(message);
    const made = Object.assign(new FakeMachine(this.nextId(), CWD, env), {
      ports,
      session: 1,
      status: "running" as const,
    });
    json(response, 200, this.#describe(this.add(made)));
  }

  #sandbox(machine: VercelMachine): object {
    return {
      name: machine.id,
      persistent: true,
      createdAt: 1,
      updatedAt: 1,
      currentSessionId: `${machine.id}_${machine.session}`,
      status: machine.status,
    };
  }

  #current(machine: VercelMachine): object {
    const { status } = machine;
    const size = { memory: 2048, vcpus: 1, region: "test", timeout: 1 };
    const times = { requestedAt: 1, createdAt: 1, updatedAt: 1 };
    return { id: `${machine.id}_${machine.session}`, cwd: CWD, status, ...size, ...times };
  }

  #describe(machine: VercelMachine): object {
    const routes = machine.ports.map((port) => {
      const subdomain = `p${port}-${machine.id}-${machine.session}`;
      return { port, subdomain, url: `https://${subdomain}.vercel.run` };
    });
    return { sandbox: this.#sandbox(machine), session: this.#current(machine), routes };
  }

  async #session(
    machine: VercelMachine,
    action: string,
    part: string,
    message: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (action === "cmd" && part === "") return this.#run(machine, message, response);
    if (action === "fs" && part === "write") {
      await this.before("upload");
      unpack(machine, gunzipSync(await bytes(message)));
      return json(response, 200, {});
    }
    if (action === "stop") {
      await machine.stop();
      machine.status = "stopped";
      return json(response, 200, { session: this.#current(machine) });
    }
    this.notFound(message, response);
  }

  async #run(machine: VercelMachine, message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { command: name, args, env, wait } = await body<RunRequest>(message);
    await this.beforeCommand(args.join(" "));
    this.#commands += 1;
    const sessionId = `${machine.id}_${machine.session}`;
    const command = {
      id: `cmd${this.#commands}`,
      name,
      args,
      cwd: CWD,
      sessionId,
      exitCode: null,
      startedAt: 1,
    };
    if (wait !== true) {
      machine.start([name, ...args], env).stdin?.end();
      return json(response, 200, { command });
    }
    response.writeHead(200, { "Content-Type": "application/x-ndjson" });
    const line = (value: object): void => void response.write(`${JSON.stringify(value)}\n`);
    line({ command });
    const { exitCode, stdout, stderr } = await machine.run([name, ...args], env);
    if (stdout !== "") line({ stream: "stdout", data: stdout });
    if (stderr !== "") line({ stream: "stderr", data: stderr });
    line({ command: { ...command, exitCode } });
    response.end();
  }

  #public(host: string, message: IncomingMessage, response: ServerResponse): void {
    const [port = "", id = "", session] = (host.split(".")[0] ?? "").split("-");
    const machine = this.machines.get(id) as VercelMachine | undefined;
    if (machine?.status !== "running" || String(machine.session) !== session) {
      response.writeHead(404).end("The sandbox does not exist");
    } else forward(message, response, Number(port.slice(1)), message.url ?? "/");
  }
}
