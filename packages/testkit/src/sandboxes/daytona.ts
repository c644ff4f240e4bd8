// Plays Daytona: its API, the toolbox of its sandboxes and its preview proxy.

import type { IncomingMessage, ServerResponse } from "node:http";
import { FakeMachine } from "./machine.ts";
import { body, FakeProvider, forward, json, uploaded } from "./provider.ts";

interface DaytonaMachine extends FakeMachine {
  state: "started" | "stopped";
  /** Changes at every start. */
  previewToken: string;
}

const HOME = "/home/daytona";

export class FakeDaytona extends FakeProvider {
  /** Variables for the SDK. */
  get env(): Record<string, string> {
    return {
      DAYTONA_API_KEY: "key",
      DAYTONA_API_URL: `${this.url}/api`,
      DAYTONA_USE_DEPRECATED_POLLING: "true",
    };
  }

  protected async handle(message: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [, root, ...path] = url.pathname.split("/");
    if (root === "api") return this.#api(path, message, response);
    const [id = "", ...rest] = path;
    const machine = this.machines.get(id) as DaytonaMachine | undefined;
    if (machine === undefined) return json(response, 404, { message: `sandbox ${id} not found` });
    if (root === "toolbox") return this.#toolbox(machine, rest.join("/"), message, response);
    return this.#preview(machine, rest, message, response, url);
  }

  async #api(path: string[], message: IncomingMessage, response: ServerResponse): Promise<void> {
    const [kind, id = "", action, port] = path;
    if (kind === "config") return json(response, 200, { proxyToolboxUrl: `${this.url}/toolbox` });
    if (kind !== "sandbox") return this.notFound(message, response);
    if (id === "") return this.#create(message, response);
    const machine = this.machines.get(id) as DaytonaMachine | undefined;
    if (machine === undefined) return json(response, 404, { statusCode: 404, message: "not found" });
    if (message.method === "DELETE") {
      await this.remove(id);
      return json(response, 200, this.#describe(machine, "destroyed"));
    }
    if (action === "stop") {
      await machine.stop();
      machine.state = "stopped";
    } else if (action === "start") {
      machine.state = "started";
      machine.previewToken = `preview-${Math.random()}`;
    } else if (action === "ports") {
      const link = { sandboxId: id, url: `${this.url}/preview/${id}/${port}`, token: machine.previewToken };
      return json(response, 200, link);
    } else if (action === "toolbox-proxy-url") {
      return json(response, 200, { url: `${this.url}/toolbox` });
    } else if (action !== undefined) return this.notFound(message, response);
    json(response, 200, this.#describe(machine));
  }

  async #create(message: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.before("create");
    const { env = {} } = await body<{ env?: Record<string, string> }>(message);
    const made = Object.assign(new FakeMachine(this.nextId(), HOME, env), {
      state: "started" as const,
      previewToken: "preview-first",
    });
    this.add(made);
    json(response, 200, this.#describe(made));
  }

  #describe(machine: DaytonaMachine, state: string = machine.state): object {
    return {
      id: machine.id,
      name: machine.id,
      organizationId: "organization",
      user: "daytona",
      env: machine.env,
      labels: {},
      public: false,
      networkBlockAll: false,
      target: "test",
      cpu: 1,
      gpu: 0,
      memory: 1,
      disk: 1,
      state,
      toolboxProxyUrl: `${this.url}/toolbox`,
    };
  }

  async #toolbox(
    machine: DaytonaMachine,
    path: string,
    message: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (path === "user-home-dir") return json(response, 200, { dir: HOME });
    if (path === "process/session") return json(response, 201, {});
    if (path.startsWith("files/")) {
      await this.before("upload");
      const { file, fields } = await uploaded(message);
      machine.write(fields.get("files[0].path") ?? "", file);
      return json(response, 200, {});
    }
    const { command } = await body<{ command: string }>(message);
    await this.beforeCommand(command);
    if (path === "process/execute") {
      const { exitCode, stdout, stderr } = await machine.run(["sh", "-c", command]);
      return json(response, 200, { exitCode, result: stdout + stderr });
    }
    if (!path.startsWith("process/session/")) return this.notFound(message, response);
    machine.start(["sh", "-c", command]).stdin?.end();
    json(response, 202, { cmdId: "command" });
  }

  #preview(
    machine: DaytonaMachine,
    [port, ...rest]: string[],
    message: IncomingMessage,
    response: ServerResponse,
    url: URL,
  ): void {
    const token = message.headers["x-daytona-preview-token"];
    if (token !== machine.previewToken) response.writeHead(401).end("unauthorized");
    else forward(message, response, Number(port), `/${rest.join("/")}${url.search}`);
  }
}
