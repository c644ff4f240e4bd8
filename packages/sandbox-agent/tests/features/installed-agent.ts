// Real agents, installed by the daemon itself into the cache that all tests of the repository share.

import { execFileSync } from "node:child_process";
import { mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { startDaemon } from "@sandbox-agent/testkit";
import { SandboxAgent } from "sandbox-agent";
import type { AgentId } from "./script.ts";

/** Variables without which there may be no way to the registry. */
const NETWORK = ["SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"];

export interface InstalledAgent {
  /** Folder of all versions. */
  folder: string;
  /** Path of the current version's program. */
  program: string;
}

/** Installs the newest version, unless the cache has one. */
export async function installedAgent(agent: AgentId): Promise<InstalledAgent> {
  const dataDir = join(cache(), `${agent}@newest`);
  const folder = join(dataDir, "agents", agent);
  mkdirSync(dataDir, { recursive: true });
  const version = currentVersion(folder);
  const env = version === undefined ? network() : {};
  await using daemon = await startDaemon({ flags: ["--data-dir", dataDir, "--no-store"], env });
  const client = await SandboxAgent.connect(daemon.connection);
  const options = version === undefined ? {} : { agentVersion: version };
  const installation = client.agents.install(agent, { source: "npm", ...options });
  for await (const event of installation) if (event.step === "done") break;
  const { artifacts } = await installation;
  const program = artifacts[0]?.path;
  if (program === undefined) throw new Error(`'${agent}' has no program: ${JSON.stringify(artifacts)}`);
  return { folder, program };
}

/** Makes the installed agent the one of daemons with this home. */
export function lend(agent: AgentId, folder: string, home: string): void {
  const agents = join(home, ".local/share/sandbox-agent/agents");
  mkdirSync(agents, { recursive: true });
  symlinkSync(folder, join(agents, agent));
}

function cache(): string {
  const named = process.env["SANDBOX_AGENT_TEST_CACHE"];
  if (named !== undefined && named !== "") return named;
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "sandbox-agent-tests");
}

/** The version in the cache. Named by its version, an agent is found without asking the registry. */
function currentVersion(folder: string): string | undefined {
  try {
    return readlinkSync(join(folder, "current"));
  } catch {
    return undefined;
  }
}

function network(): Record<string, string> {
  const registry =
    process.env["npm_config_registry"] ??
    execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const inherited = [...NETWORK, ...NETWORK.map((name) => name.toLowerCase())].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(inherited), npm_config_registry: registry };
}
