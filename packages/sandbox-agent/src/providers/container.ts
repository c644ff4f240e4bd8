// Containers whose main process is the daemon: its command, and the wait until it is healthy or has ended.

import {
  type DaemonOptions,
  DEFAULT_HEALTH_TIMEOUT_MS,
  installScript,
  programPath,
  quote,
  serverArgs,
} from "./daemon.ts";
import { waitForHealth } from "./health.ts";
import type { Launch } from "./launch.ts";
import type { SandboxEndpoint } from "./provider.ts";
import { TimeLimit } from "./time-limit.ts";

/** Directory of the program in containers. */
export const CONTAINER_FOLDER = "/opt/sandbox-agent";

/** Exit code of a container whose program could not be installed. */
const INSTALL_FAILED = 78;

/** Time between two looks at the state of a container, in milliseconds. */
const STATE_CHECK_MS = 500;

/** Image that the default `program` works with. */
export const DEFAULT_IMAGE = "node:24-bookworm-slim";

/** Returns the command of the container. It has a shell only if the program has to be installed first. */
export function containerCommand(options: DaemonOptions): string[] {
  const command = [programPath(options.program, CONTAINER_FOLDER), ...serverArgs(options)];
  const install = installScript(options.program, CONTAINER_FOLDER);
  if (install === undefined) return command;
  const server = command.map(quote).join(" ");
  return ["/bin/sh", "-c", `( ${install}\n) || exit ${INSTALL_FAILED}\nexec ${server}`];
}

/** A container that will not become healthy. */
export class ContainerEndedError extends Error {
  readonly exitCode: number | undefined;

  constructor(message: string, exitCode?: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Resolves when the daemon is healthy.
 *
 * @param check Throws a {@link ContainerEndedError} if the container has ended. Returns the address once there is one.
 */
export async function containerHealth(
  options: DaemonOptions,
  signal: AbortSignal,
  check: () => Promise<SandboxEndpoint | undefined>,
): Promise<void> {
  const limit = new TimeLimit(options.healthTimeoutMs ?? DEFAULT_HEALTH_TIMEOUT_MS, signal);
  try {
    for (;;) {
      const endpoint = await check();
      if (endpoint !== undefined && (await tried(endpoint, limit.signal))) return;
      limit.signal.throwIfAborted();
      if (endpoint === undefined) await new Promise((resolve) => setTimeout(resolve, STATE_CHECK_MS));
    }
  } finally {
    limit.release();
  }
}

/** Waits for health as the last step of a start. If the installation failed, that is reported as the step. */
export async function awaitContainer(
  launch: Launch,
  container: { healthy(signal: AbortSignal): Promise<void> },
): Promise<void> {
  try {
    await launch.step("health", (limit) => container.healthy(limit));
  } catch (error) {
    if (!(error instanceof ContainerEndedError) || error.exitCode !== INSTALL_FAILED) throw error;
    await launch.step("install", () => Promise.reject(new Error("the program could not be installed")));
  }
}

/** Checks the health for a while. Returns false if the state of the container should be looked at again. */
async function tried({ baseUrl, ...rest }: SandboxEndpoint, signal: AbortSignal): Promise<boolean> {
  const round = new TimeLimit(STATE_CHECK_MS, signal);
  try {
    await waitForHealth(baseUrl, round.signal, rest);
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    return false;
  } finally {
    round.release();
  }
}
