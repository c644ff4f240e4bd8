// `sandbox-agent/modal`: the daemon in a Modal sandbox, behind a tunnel or Modal's authenticating proxy.

import type { ModalClient, ModalClientParams, Sandbox as ModalSandbox, SandboxCreateParams } from "modal";
import { type DaemonOptions, DEFAULT_PORT, quote } from "./daemon.ts";
import { load } from "./load.ts";
import { type CommandResult, type Machine, machineProvider } from "./machine.ts";
import type { PreviewUrl, SandboxEndpoint, SandboxProvider } from "./provider.ts";

export interface ModalOptions extends DaemonOptions {
  /** Parameters of `ModalClient`. By default from `MODAL_TOKEN_ID` and `MODAL_TOKEN_SECRET`, or `~/.modal.toml`. */
  client?: ModalClientParams | undefined;
  /** Name of the Modal app, `sandbox-agent` by default. It is created if it does not exist. */
  app?: string | undefined;
  /** Image from a registry, `node:24-bookworm-slim` by default. */
  image?: string | undefined;
  /**
   * How the daemon is reached: a `tunnel` with a random public address (default), or a `connect-token`, with which
   * Modal's proxy authenticates requests too.
   */
  gateway?: "tunnel" | "connect-token" | undefined;
  /** Further ports for `previewUrl`. They must be known when the sandbox is created. */
  ports?: readonly number[] | undefined;
  /** Options of `sandboxes.create` of the `modal` package. By default the sandbox ends after an hour. */
  create?: SandboxCreateParams | undefined;
}

const HOUR_MS = 3_600_000;

/**
 * Runs the daemon in a Modal sandbox. Needs the package `modal` and a token of Modal.
 *
 * @example
 * const client = await SandboxAgent.start({ sandbox: modal({ image: "node:24" }) });
 */
export function modal(options: ModalOptions = {}): SandboxProvider {
  const { app = "sandbox-agent", image = "node:24-bookworm-slim", ports = [], create } = options;
  const { port = DEFAULT_PORT } = options;
  return machineProvider("modal", options, async () => {
    const sdk = await load("modal", "modal@^0.11.1", () => import("modal"));
    const client: ModalClient = new sdk.ModalClient(options.client);
    return {
      create: async () => {
        const owner = await client.apps.fromName(app, { createIfMissing: true });
        const sandbox = await client.sandboxes.create(owner, client.images.fromRegistry(image), {
          timeoutMs: HOUR_MS,
          ...create,
          encryptedPorts: [port, ...ports, ...(create?.encryptedPorts ?? [])],
        });
        return new ModalMachine(sandbox, options);
      },
      connect: async (id) => new ModalMachine(await client.sandboxes.fromId(id), options),
    };
  });
}

class ModalMachine implements Machine {
  readonly folder = "/opt/sandbox-agent";
  readonly #sandbox: ModalSandbox;
  readonly #port: number;
  readonly #gateway: "tunnel" | "connect-token";
  #isDestroyed = false;

  constructor(sandbox: ModalSandbox, options: ModalOptions) {
    this.#sandbox = sandbox;
    this.#port = options.port ?? DEFAULT_PORT;
    this.#gateway = options.gateway ?? "tunnel";
  }

  get id(): string {
    return this.#sandbox.sandboxId;
  }

  async run(script: string): Promise<CommandResult> {
    const process = await this.#sandbox.exec(["sh", "-c", `exec 2>&1; ${script}`], { stderr: "ignore" });
    const [output, exitCode] = await Promise.all([process.stdout.readText(), process.wait()]);
    return { exitCode, output };
  }

  async upload(content: Uint8Array, path: string): Promise<void> {
    const process = await this.#sandbox.exec(["sh", "-c", `cat >${quote(path)}`], { mode: "binary" });
    const writer = process.stdin.getWriter();
    await writer.write(content);
    await writer.close();
    const exitCode = await process.wait();
    if (exitCode !== 0) throw new Error(`writing '${path}' ended with exit code ${exitCode}`);
  }

  async spawn(script: string, env: Record<string, string>): Promise<void> {
    await this.#sandbox.exec(["sh", "-c", script], { env, stdout: "ignore", stderr: "ignore" });
  }

  async endpoint(): Promise<SandboxEndpoint> {
    if (this.#gateway === "tunnel") return { baseUrl: (await this.previewUrl(this.#port)).url };
    const { url, token } = await this.#sandbox.createConnectToken({ port: this.#port });
    const headers = { Authorization: `Bearer ${token}` };
    return { baseUrl: url, headers, tokenHeader: "X-Sandbox-Agent-Token" };
  }

  async previewUrl(port: number): Promise<PreviewUrl> {
    const tunnel = (await this.#sandbox.tunnels())[port];
    if (tunnel === undefined) throw new Error(`port ${port} has no tunnel; pass it to 'ports'`);
    return { url: tunnel.url };
  }

  async destroy(): Promise<void> {
    // The SDK refuses to terminate a sandbox twice.
    if (this.#isDestroyed) return;
    await this.#sandbox.terminate();
    this.#isDestroyed = true;
    this.#sandbox.detach();
  }
}
