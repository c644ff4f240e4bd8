// `sandbox-agent/daytona`: the daemon in a Daytona sandbox, behind Daytona's preview proxy.

import type {
  CreateSandboxFromImageParams,
  CreateSandboxFromSnapshotParams,
  Daytona,
  DaytonaConfig,
  Sandbox as DaytonaSandbox,
} from "@daytonaio/sdk";
import { type DaemonOptions, DEFAULT_PORT, DEFAULT_START_TIMEOUT_MS, quote } from "./daemon.ts";
import { load } from "./load.ts";
import { type CommandResult, type Machine, machineProvider } from "./machine.ts";
import type { PreviewUrl, SandboxEndpoint, SandboxProvider } from "./provider.ts";

export interface DaytonaOptions extends DaemonOptions {
  /** Configuration of the SDK's client. By default from the variables `DAYTONA_API_KEY`, `DAYTONA_API_URL` and so on. */
  config?: DaytonaConfig | undefined;
  /**
   * Options of `daytona.create`, such as `image`, `snapshot` or `resources`. By default the sandbox is private and is
   * never stopped automatically.
   */
  create?: CreateSandboxFromSnapshotParams | CreateSandboxFromImageParams | undefined;
}

/**
 * Runs the daemon in a Daytona sandbox. Needs the package `@daytonaio/sdk` and the variable `DAYTONA_API_KEY`.
 *
 * @example
 * const client = await SandboxAgent.start({ sandbox: daytona({ create: { image: "node:24" } }) });
 */
export function daytona(options: DaytonaOptions = {}): SandboxProvider {
  const { port = DEFAULT_PORT, startTimeoutMs = DEFAULT_START_TIMEOUT_MS } = options;
  return machineProvider("daytona", options, async () => {
    const sdk = await load("daytona", "@daytonaio/sdk@^0.218.0", () => import("@daytonaio/sdk"));
    const client: Daytona = new sdk.Daytona(options.config);
    const timeout = startTimeoutMs / 1_000;
    return {
      create: async (envVars) => {
        const defaults = { public: false, autoStopInterval: 0, ...options.create };
        // Commands of a session take no variables of their own.
        const params = { ...defaults, envVars: { ...options.create?.envVars, ...envVars } };
        const sandbox = await client.create(params, { timeout });
        try {
          return await DaytonaMachine.open(sdk, sandbox, port);
        } catch (error) {
          await sandbox.delete().catch(() => {});
          throw error;
        }
      },
      connect: async (id) => {
        const sandbox = await client.get(id);
        if (sandbox.state !== "started") await sandbox.start(timeout);
        return DaytonaMachine.open(sdk, sandbox, port);
      },
    };
  });
}

type Sdk = typeof import("@daytonaio/sdk");

class DaytonaMachine implements Machine {
  readonly folder: string;
  readonly #sdk: Sdk;
  readonly #sandbox: DaytonaSandbox;
  readonly #port: number;

  constructor(sdk: Sdk, sandbox: DaytonaSandbox, home: string, port: number) {
    this.#sdk = sdk;
    this.#sandbox = sandbox;
    this.#port = port;
    this.folder = `${home}/.sandbox-agent`;
  }

  /** Finds out the home directory, which depends on the image. */
  static async open(sdk: Sdk, sandbox: DaytonaSandbox, port: number): Promise<DaytonaMachine> {
    const home = (await sandbox.getUserHomeDir()) ?? "/tmp";
    return new DaytonaMachine(sdk, sandbox, home.replace(/\/+$/, ""), port);
  }

  get id(): string {
    return this.#sandbox.id;
  }

  async run(script: string): Promise<CommandResult> {
    const { exitCode, result } = await this.#sandbox.process.executeCommand(`sh -c ${quote(script)}`);
    return { exitCode, output: result };
  }

  async upload(content: Uint8Array, path: string): Promise<void> {
    await this.#sandbox.fs.uploadFile(Buffer.from(content), path);
  }

  async spawn(script: string): Promise<void> {
    const session = `sandbox-agent-${Date.now().toString(36)}`;
    await this.#sandbox.process.createSession(session);
    const command = `sh -c ${quote(script)}`;
    await this.#sandbox.process.executeSessionCommand(session, { command, runAsync: true });
  }

  async endpoint(): Promise<SandboxEndpoint> {
    const { url, headers } = await this.previewUrl(this.#port);
    return { baseUrl: url, headers };
  }

  async previewUrl(port: number): Promise<PreviewUrl> {
    const { url, token } = await this.#sandbox.getPreviewLink(port);
    const headers = { "x-daytona-preview-token": token, "x-daytona-skip-preview-warning": "true" };
    return { url, headers };
  }

  /** Stops the sandbox: its files are kept, its processes end. Not every kind of sandbox can be frozen. */
  async pause(): Promise<void> {
    await this.#sandbox.stop();
  }

  async resume(): Promise<void> {
    await this.#sandbox.start();
  }

  async destroy(): Promise<void> {
    try {
      await this.#sandbox.delete();
    } catch (error) {
      if (!(error instanceof this.#sdk.DaytonaNotFoundError)) throw error;
    }
  }
}
