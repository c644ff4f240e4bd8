// `sandbox-agent/vercel`: the daemon in a Vercel Sandbox, at a public address.

import type { Sandbox as VercelSandbox } from "@vercel/sandbox";
import { type DaemonOptions, DEFAULT_PORT } from "./daemon.ts";
import { load } from "./load.ts";
import { type CommandResult, type Machine, machineProvider } from "./machine.ts";
import type { PreviewUrl, SandboxEndpoint, SandboxProvider } from "./provider.ts";

type Sdk = typeof import("@vercel/sandbox");
type CreateParams = NonNullable<Parameters<Sdk["Sandbox"]["create"]>[0]>;

/** Credentials and `fetch` of the SDK. By default from Vercel's OIDC token or `VERCEL_TOKEN` and the like. */
export interface VercelAccess {
  token: string;
  projectId: string;
  teamId: string;
}

export interface VercelOptions extends DaemonOptions {
  /** Credentials. By default the SDK finds them: `VERCEL_OIDC_TOKEN`, or the files of Vercel's CLI. */
  access?: VercelAccess | undefined;
  /** Further ports for `previewUrl`. They must be known when the sandbox is created. */
  ports?: readonly number[] | undefined;
  /**
   * Options of `Sandbox.create` of the `@vercel/sandbox` package, such as `image`, `runtime` or `resources`. By default
   * the sandbox ends after 45 minutes.
   */
  create?: CreateParams | undefined;
}

const TIMEOUT_MS = 2_700_000;

/**
 * Runs the daemon in a Vercel Sandbox. Needs the package `@vercel/sandbox` and credentials of Vercel.
 *
 * @example
 * const client = await SandboxAgent.start({ sandbox: vercel({ ports: [3000] }) });
 */
export function vercel(options: VercelOptions = {}): SandboxProvider {
  const { port = DEFAULT_PORT, ports = [], access } = options;
  return machineProvider("vercel", options, async () => {
    const sdk = await load("vercel", "@vercel/sandbox@^3.5.0", () => import("@vercel/sandbox"));
    const get = (name: string): Promise<VercelSandbox> => sdk.Sandbox.get({ ...access, name, resume: true });
    return {
      create: async () => {
        const params = { timeout: TIMEOUT_MS, ...options.create, ...access, ports: [port, ...ports] };
        return new VercelMachine(sdk, await sdk.Sandbox.create(params as CreateParams), get, port);
      },
      connect: async (id) => new VercelMachine(sdk, await get(id), get, port),
    };
  });
}

class VercelMachine implements Machine {
  readonly #sdk: Sdk;
  readonly #get: (name: string) => Promise<VercelSandbox>;
  readonly #port: number;
  #sandbox: VercelSandbox;

  constructor(sdk: Sdk, sandbox: VercelSandbox, get: (name: string) => Promise<VercelSandbox>, port: number) {
    this.#sdk = sdk;
    this.#sandbox = sandbox;
    this.#get = get;
    this.#port = port;
  }

  get id(): string {
    return this.#sandbox.name;
  }

  get folder(): string {
    return `${this.#sandbox.cwd}/.sandbox-agent`;
  }

  async run(script: string, signal?: AbortSignal): Promise<CommandResult> {
    const command = await this.#sandbox.runCommand(
      "sh",
      ["-c", script],
      signal === undefined ? {} : { signal },
    );
    return { exitCode: command.exitCode, output: await command.output("both") };
  }

  async upload(content: Uint8Array, path: string, signal: AbortSignal): Promise<void> {
    await this.#sandbox.writeFiles([{ path, content, mode: 0o755 }], { signal });
  }

  async spawn(script: string, env: Record<string, string>): Promise<void> {
    await this.#sandbox.runCommand({ cmd: "sh", args: ["-c", script], env, detached: true });
  }

  async endpoint(): Promise<SandboxEndpoint> {
    return { baseUrl: this.#sandbox.domain(this.#port) };
  }

  async previewUrl(port: number): Promise<PreviewUrl> {
    return { url: this.#sandbox.domain(port) };
  }

  /** Stops the sandbox. Its files are kept in a snapshot, its processes end. */
  async pause(): Promise<void> {
    await this.#sandbox.stop();
  }

  async resume(): Promise<void> {
    this.#sandbox = await this.#get(this.id);
  }

  async destroy(): Promise<void> {
    try {
      await this.#sandbox.delete({ deleteOrphanSnapshots: true });
    } catch (error) {
      if (!(error instanceof this.#sdk.APIError) || error.response.status !== 404) throw error;
    }
  }
}
