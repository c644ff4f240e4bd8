// `sandbox-agent/node` where there are no child processes: in browsers and workers.

import { SandboxAgentError } from "../errors/errors.ts";

/** Throws: a daemon cannot be started here. */
export function spawnSandboxAgent(): never {
  throw new SandboxAgentError("a daemon cannot be started here: pass baseUrl to connect to one that runs");
}

export { spawnSandboxAgent as startEmbedded };
