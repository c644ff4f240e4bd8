// `sandbox-agent/docker`: the daemon as the main process of a Docker container.
/// <reference types="node" />

import type Docker from "dockerode";
import type { Container, ContainerCreateOptions, DockerOptions as EngineOptions } from "dockerode";
import {
  awaitContainer,
  CONTAINER_FOLDER,
  ContainerEndedError,
  containerCommand,
  containerHealth,
  DEFAULT_IMAGE,
} from "./container.ts";
import { type DaemonOptions, DEFAULT_PORT, daemonEnv, LOG_BYTES } from "./daemon.ts";
import { Launch } from "./launch.ts";
import { load } from "./load.ts";
import { readProgram } from "./program-file.ts";
import type { PreviewUrl, Sandbox, SandboxEndpoint, SandboxProvider } from "./provider.ts";
import { tarOf } from "./tar.ts";

export interface DockerOptions extends DaemonOptions {
  /** Image of the container, `node:24-bookworm-slim` by default. It is pulled if it is missing. */
  image?: string | undefined;
  /** Address on which ports are published and reached, `127.0.0.1` by default. */
  host?: string | undefined;
  /** Further ports of the container for `previewUrl`. They must be known when it is created. */
  ports?: readonly number[] | undefined;
  /** Connection to the engine. By default from `DOCKER_HOST`, or the local socket. */
  engine?: EngineOptions | undefined;
  /** Options of the engine's "create container", such as `HostConfig` with mounts and limits. */
  create?: ContainerCreateOptions | undefined;
}

/**
 * Runs the daemon in a Docker container. Needs the package `dockerode`.
 *
 * @example
 * const client = await SandboxAgent.start({ sandbox: docker({ image: "my-image", program: { installed: "sandbox-agent" } }) });
 */
export function docker(options: DockerOptions = {}): SandboxProvider {
  const open = async (): Promise<Docker> => {
    const sdk = await load("docker", "dockerode@^5.0.1", () => import("dockerode"));
    return new sdk.default(options.engine);
  };
  return {
    name: "docker",
    create: async ({ token, signal }) => {
      const launch = new Launch({ provider: "docker", signal, timeoutMs: options.startTimeoutMs });
      return launch.run(async () => {
        const engine = await launch.step("load", open);
        const made = await launch.create(
          async () => new DockerSandbox(await create(engine, options, token), options),
        );
        const { program } = options;
        if (program !== undefined && "file" in program)
          await launch.step("upload", () => made.upload(program.file));
        await launch.step("start", () => made.start());
        await awaitContainer(launch, made);
        return made;
      });
    },
    reconnect: async (id, { signal }) => {
      const launch = new Launch({ provider: "docker", signal, timeoutMs: options.startTimeoutMs });
      return launch.run(async () => {
        const engine = await launch.step("load", open);
        const found = new DockerSandbox(engine.getContainer(id), options);
        await launch.step("resume", (limit) => found.wake(limit));
        return found;
      });
    },
  };
}

async function create(engine: Docker, options: DockerOptions, token: string): Promise<Container> {
  const { image = DEFAULT_IMAGE, host = "127.0.0.1", create: own, port = DEFAULT_PORT, ports = [] } = options;
  const published = [port, ...ports].map((one) => `${one}/tcp`);
  const env = Object.entries(daemonEnv(options, token)).map(([name, value]) => `${name}=${value}`);
  const settings: ContainerCreateOptions = {
    Image: image,
    ...own,
    // The image's entrypoint may be anything; an empty command keeps its arguments out.
    Entrypoint: containerCommand(options),
    Cmd: [],
    Env: [...(own?.Env ?? []), ...env],
    Labels: { ...own?.Labels, "sandbox-agent": "daemon" },
    ExposedPorts: { ...own?.ExposedPorts, ...Object.fromEntries(published.map((one) => [one, {}])) },
    HostConfig: {
      Init: true,
      ...own?.HostConfig,
      PortBindings: {
        ...own?.HostConfig?.PortBindings,
        ...Object.fromEntries(published.map((one) => [one, [{ HostIp: host, HostPort: "0" }]])),
      },
    },
  };
  try {
    return await engine.createContainer(settings);
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    await pull(engine, image);
    return engine.createContainer(settings);
  }
}

async function pull(engine: Docker, image: string): Promise<void> {
  const progress = await engine.pull(image);
  await new Promise<void>((resolve, reject) => {
    engine.modem.followProgress(progress, (error) => (error === null ? resolve() : reject(error)));
  });
}

function statusOf(error: unknown): number | undefined {
  const isKnown = typeof error === "object" && error !== null && "statusCode" in error;
  return isKnown && typeof error.statusCode === "number" ? error.statusCode : undefined;
}

class DockerSandbox implements Sandbox {
  readonly provider = "docker";
  readonly #container: Container;
  readonly #options: DockerOptions;

  constructor(container: Container, options: DockerOptions) {
    this.#container = container;
    this.#options = options;
  }

  get id(): string {
    return this.#container.id;
  }

  async upload(file: string): Promise<void> {
    const path = `${CONTAINER_FOLDER}/sandbox-agent`.slice(1);
    await this.#container.putArchive(tarOf(path, await readProgram(file)), { path: "/" });
  }

  async start(): Promise<void> {
    await this.#container.start();
  }

  async healthy(signal: AbortSignal): Promise<void> {
    await containerHealth(this.#options, signal, async () => {
      // One look for both: a container that ends between two has no ports.
      const { State, NetworkSettings } = await this.#container.inspect();
      if (State.Running) return { baseUrl: this.#address(NetworkSettings.Ports, this.#port) };
      throw new ContainerEndedError(`the container ended with exit code ${State.ExitCode}`, State.ExitCode);
    });
  }

  /** Makes a container run that was paused or stopped. */
  async wake(signal: AbortSignal): Promise<void> {
    const { State } = await this.#container.inspect();
    if (State.Paused) await this.#container.unpause();
    else if (!State.Running) await this.#container.start();
    await this.healthy(signal);
  }

  async endpoint(): Promise<SandboxEndpoint> {
    return { baseUrl: (await this.previewUrl(this.#port)).url };
  }

  async previewUrl(port: number): Promise<PreviewUrl> {
    const { NetworkSettings } = await this.#container.inspect();
    return { url: this.#address(NetworkSettings.Ports, port) };
  }

  get #port(): number {
    return this.#options.port ?? DEFAULT_PORT;
  }

  #address(ports: Record<string, { HostPort: string }[] | null>, port: number): string {
    const published = ports[`${port}/tcp`]?.[0]?.HostPort;
    if (published === undefined) throw new Error(`port ${port} is not published; pass it to 'ports'`);
    return `http://${this.#options.host ?? "127.0.0.1"}:${published}`;
  }

  /** Freezes the container. Its memory is kept, and its sessions with it. */
  async pause(): Promise<void> {
    await this.#container.pause();
  }

  async resume(): Promise<void> {
    const launch = new Launch({ provider: "docker", timeoutMs: this.#options.startTimeoutMs });
    await launch.run(() => launch.step("resume", (limit) => this.wake(limit)));
  }

  async destroy(): Promise<void> {
    try {
      await this.#container.remove({ force: true, v: true });
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
  }

  async logs(): Promise<string> {
    const frames = await this.#container.logs({ stdout: true, stderr: true, tail: 1_000 });
    return withoutFrames(frames).slice(-LOG_BYTES);
  }
}

/** Joins the frames of both outputs: eight bytes of header, the last four of which are the length. */
function withoutFrames(data: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; at + 8 <= data.length; ) {
    const end = at + 8 + data.readUInt32BE(at + 4);
    parts.push(data.subarray(at + 8, end));
    at = end;
  }
  return Buffer.concat(parts).toString();
}
