// `sandbox-agent/e2b`: the daemon in an E2B sandbox, behind E2B's gateway.

import type { Sandbox as E2bSandbox, SandboxOpts } from "e2b";
import { type DaemonOptions, DEFAULT_PORT } from "./daemon.ts";
import { load } from "./load.ts";
import { type CommandResult, type Machine, machineProvider } from "./machine.ts";
import type { PreviewUrl, SandboxEndpoint, SandboxProvider } from "./provider.ts";

export interface E2bOptions extends DaemonOptions {
  /** Template of the sandbox, `base` by default. */
  template?: string | undefined;
  /**
   * Options of `Sandbox.create` of the `e2b` package, such as `apiKey` and `timeoutMs`. By default the sandbox is
   * paused after an hour and its ports are only reachable with E2B's traffic token.
   */
  create?: SandboxOpts | undefined;
}

const HOUR_MS = 3_600_000;

type Sdk = Pick<typeof import("e2b"), "Sandbox" | "CommandExitError">;

/**
 * Runs the daemon in an E2B sandbox. Needs the package `e2b` and the variable `E2B_API_KEY`.
 *
 * @example
 * const client = await SandboxAgent.start({ sandbox: e2b({ template: "my-template" }) });
 */
export function e2b(options: E2bOptions = {}): SandboxProvider {
  const { template = "base", create, port = DEFAULT_PORT } = options;
  return machineProvider("e2b", options, async () => {
    const sdk = await load("e2b", "e2b@^2.51.0", () => import("e2b"));
    const settings: SandboxOpts = { timeoutMs: HOUR_MS, ...create };
    return {
      create: async () => {
        const sandbox = await sdk.Sandbox.create(template, {
          network: { allowPublicTraffic: false },
          lifecycle: { onTimeout: "pause" },
          ...settings,
        });
        return new E2bMachine(sdk, sandbox, settings, port);
      },
      connect: async (id) => new E2bMachine(sdk, await sdk.Sandbox.connect(id, settings), settings, port),
    };
  });
}

class E2bMachine implements Machine {
  readonly folder = "/home/user/.sandbox-agent";
  readonly #sdk: Sdk;
  readonly #settings: SandboxOpts;
  readonly #port: number;
  #sandbox: E2bSandbox;

  constructor(sdk: Sdk, sandbox: E2bSandbox, settings: SandboxOpts, port: number) {
    this.#sdk = sdk;
    this.#sandbox = sandbox;
    this.#settings = settings;
    this.#port = port;
  }

  get id(): string {
    return this.#sandbox.sandboxId;
  }

  async run(script: string, signal?: AbortSignal): Promise<CommandResult> {
    try {
      const { stdout, stderr } = await this.#sandbox.commands.run(script, {
        timeoutMs: 0,
        ...(signal === undefined ? {} : { signal }),
      });
      return { exitCode: 0, output: stdout + stderr };
    } catch (error) {
      if (!(error instanceof this.#sdk.CommandExitError)) throw error;
      return { exitCode: error.exitCode, output: error.stdout + error.stderr };
    }
  }

  async upload(content: Uint8Array, path: string, signal: AbortSignal): Promise<void> {
    await this.#sandbox.files.write(path, new Blob([new Uint8Array(content)]), {
      signal,
      requestTimeoutMs: 0,
    });
  }

  async spawn(script: string, envs: Record<string, string>): Promise<void> {
    const handle = await this.#sandbox.commands.run(script, { background: true, timeoutMs: 0, envs });
    // The daemon keeps running. The stream of its output would keep this process alive.
    await handle.disconnect();
  }

  async endpoint(): Promise<SandboxEndpoint> {
    const { url, headers } = await this.previewUrl(this.#port);
    return { baseUrl: url, headers };
  }

  async previewUrl(port: number): Promise<PreviewUrl> {
    const { trafficAccessToken: token } = this.#sandbox;
    const headers = token === undefined ? undefined : { "e2b-traffic-access-token": token };
    const url = `https://${this.#sandbox.getHost(port)}`;
    return headers === undefined ? { url } : { url, headers };
  }

  async pause(): Promise<void> {
    await this.#sandbox.pause();
  }

  async resume(): Promise<void> {
    this.#sandbox = await this.#sdk.Sandbox.connect(this.id, this.#settings);
  }

  async destroy(): Promise<void> {
    await this.#sandbox.kill();
  }
}
