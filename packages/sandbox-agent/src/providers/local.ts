// `sandbox-agent/local`: the daemon as a child of this process. No isolation: agents work on this machine.
/// <reference types="node" />

import { SpawnError } from "../node/errors.ts";
import type { SpawnedSandboxAgent, SpawnOptions } from "../node/options.ts";
import { spawnSandboxAgent } from "../node/spawn.ts";
import { type Sandbox, type SandboxProvider, SandboxStartError, type SandboxStep } from "./provider.ts";

export type LocalOptions = Omit<SpawnOptions, "token" | "signal">;

const STEPS: Record<SpawnError["code"], SandboxStep> = {
  binary_not_found: "load",
  binary_not_executable: "start",
  port_in_use: "start",
  exited: "start",
  unhealthy: "health",
};

/**
 * Runs the daemon on this machine. It ends with this process.
 *
 * @example
 * await using client = await SandboxAgent.start({ sandbox: local() });
 */
export function local(options: LocalOptions = {}): SandboxProvider {
  return {
    name: "local",
    create: async ({ token, signal }) => {
      try {
        return sandbox(await spawnSandboxAgent({ ...options, token, signal }));
      } catch (cause) {
        if (!(cause instanceof SpawnError)) throw cause;
        const log = cause.log.join("\n");
        throw new SandboxStartError({ provider: "local", step: STEPS[cause.code], log, cause });
      }
    },
  };
}

function sandbox(daemon: SpawnedSandboxAgent): Sandbox {
  const { hostname } = new URL(daemon.baseUrl);
  return {
    id: String(daemon.pid),
    provider: "local",
    endpoint: async () => ({ baseUrl: daemon.baseUrl }),
    previewUrl: async (port) => ({ url: `http://${hostname}:${port}` }),
    destroy: () => daemon.dispose(),
    logs: async () => daemon.log().join("\n"),
  };
}
