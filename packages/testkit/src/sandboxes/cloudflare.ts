// Plays the binding of a Cloudflare sandbox. The package itself only runs in a Worker with containers.

import type { IncomingMessage, ServerResponse } from "node:http";
import { FakeMachine, type RunResult } from "./machine.ts";
import { FakeProvider } from "./provider.ts";

export class FakeCloudflare extends FakeProvider {
  /** Plays `getSandbox(env.Sandbox, id)`. As there, a sandbox exists as soon as it is used. */
  sandbox = (id: string): FakeCloudflareSandbox => new FakeCloudflareSandbox(id, this);

  machine(id: string): FakeMachine {
    return this.machines.get(id) ?? this.add(new FakeMachine(id, "/opt/sandbox-agent"));
  }

  async check(command: string): Promise<void> {
    await this.beforeCommand(command);
  }

  async destroy(id: string): Promise<void> {
    await this.remove(id);
  }

  protected async handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    this.notFound(message, response);
  }
}

export class FakeCloudflareSandbox {
  readonly #id: string;
  readonly #fake: FakeCloudflare;

  constructor(id: string, fake: FakeCloudflare) {
    this.#id = id;
    this.#fake = fake;
  }

  async exec(command: string): Promise<RunResult> {
    const machine = this.#fake.machine(this.#id);
    await this.#fake.check(command);
    return machine.run(["sh", "-c", command]);
  }

  async startProcess(command: string, options: { env: Record<string, string> }): Promise<object> {
    const machine = this.#fake.machine(this.#id);
    await this.#fake.check(command);
    machine.start(["sh", "-c", command], options.env).stdin?.end();
    return {};
  }

  async containerFetch(request: Request, port: number): Promise<Response> {
    const url = new URL(request.url);
    url.host = `127.0.0.1:${port}`;
    return fetch(new Request(url, request));
  }

  async exposePort(port: number, { hostname }: { hostname: string }): Promise<{ url: string }> {
    return { url: `https://${port}-${this.#id}.${hostname}` };
  }

  async destroy(): Promise<void> {
    await this.#fake.destroy(this.#id);
  }
}
