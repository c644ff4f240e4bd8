// `sandbox-agent/cloudflare`: the daemon in a Cloudflare sandbox, reached from the Worker that owns it.

import { type DaemonOptions, DEFAULT_PORT, type Program, quote } from "./daemon.ts";
import { type CommandResult, type Machine, machineProvider } from "./machine.ts";
import type { PreviewUrl, SandboxEndpoint, SandboxProvider } from "./provider.ts";

/** The part of a sandbox of the package `@cloudflare/sandbox` that is used here. */
export interface CloudflareSandbox {
  exec(command: string): Promise<{ exitCode: number; stdout: string; stderr: string }>;
  startProcess(command: string, options: { env: Record<string, string> }): Promise<unknown>;
  containerFetch(request: Request, port: number): Promise<Response>;
  exposePort(port: number, options: { hostname: string }): Promise<{ url: string }>;
  destroy(): Promise<void>;
}

export interface CloudflareOptions extends DaemonOptions {
  /** Returns the sandbox with an id: `(id) => getSandbox(env.Sandbox, id)`. */
  sandbox: (id: string) => CloudflareSandbox;
  /** Id of the sandbox, random by default. It must be valid in a host name if `previewUrl` is used. */
  id?: string | undefined;
  /** Domain of the Worker for `previewUrl`, such as `example.com`. It needs a wildcard DNS record. */
  hostname?: string | undefined;
  /** Where the sandbox gets the program from. A Worker has no files that could be uploaded. */
  program?: Exclude<Program, { file: string }> | undefined;
}

/**
 * Runs the daemon in a Cloudflare sandbox. Works in the Worker that has the binding; requests to the daemon do not
 * leave Cloudflare's network.
 *
 * @example
 * const sandbox = cloudflare({ sandbox: (id) => getSandbox(env.Sandbox, id) });
 * const client = await SandboxAgent.start({ sandbox });
 */
export function cloudflare(options: CloudflareOptions): SandboxProvider {
  const open = (id: string): Machine => new CloudflareMachine(id, options);
  return machineProvider("cloudflare", options, async () => ({
    create: async () => open(options.id ?? crypto.randomUUID()),
    connect: async (id) => open(id),
  }));
}

class CloudflareMachine implements Machine {
  readonly folder = "/opt/sandbox-agent";
  readonly id: string;
  readonly #options: CloudflareOptions;
  readonly #sandbox: CloudflareSandbox;

  constructor(id: string, options: CloudflareOptions) {
    this.id = id;
    this.#options = options;
    this.#sandbox = options.sandbox(id);
  }

  async run(script: string): Promise<CommandResult> {
    const { exitCode, stdout, stderr } = await this.#sandbox.exec(`sh -c ${quote(script)}`);
    return { exitCode, output: stdout + stderr };
  }

  async spawn(script: string, env: Record<string, string>): Promise<void> {
    await this.#sandbox.startProcess(`sh -c ${quote(script)}`, { env });
  }

  async endpoint(): Promise<SandboxEndpoint> {
    const port = this.#options.port ?? DEFAULT_PORT;
    const send: typeof fetch = async (input, init) =>
      this.#sandbox.containerFetch(new Request(input, init), port);
    return { baseUrl: `http://localhost:${port}`, fetch: send };
  }

  async previewUrl(port: number): Promise<PreviewUrl> {
    const { hostname } = this.#options;
    if (hostname === undefined) throw new Error("previewUrl needs the option 'hostname'");
    return { url: (await this.#sandbox.exposePort(port, { hostname })).url };
  }

  async destroy(): Promise<void> {
    await this.#sandbox.destroy();
  }
}
