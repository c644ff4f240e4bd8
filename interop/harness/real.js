// The real CLI of a vendor, installed by our own binary, with a scripted model instead of its vendor's.

import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { BINARY } from "./daemon.js";
import { within } from "./wait.js";

/** A download of some hundred megabytes, the first time. */
const INSTALL_MS = 600_000;

/** Where installed agents outlive test runs; the Rust tests use the same place. */
const CACHE =
  process.env.SANDBOX_AGENT_TEST_CACHE ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "sandbox-agent-tests");

/** The data directory of the newest version of an agent. */
export const dataDir = (agent) => join(CACHE, `${agent}@newest`);

/** Installs the agent, unless an earlier run did. Only npm itself knows which registry this machine may use. */
export async function installed(agent) {
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const kept = Object.entries(process.env).filter(([name]) => /^(SSL_CERT_|https?_proxy$|no_proxy$)/i.test(name));
  const env = { ...Object.fromEntries(kept), HOME: CACHE, PATH: "/nonexistent", npm_config_registry: registry };
  const args = ["install-agent", agent, "--source", "npm", "--data-dir", dataDir(agent), "--json"];
  const { stdout } = await within(
    `${agent} to be installed`,
    promisify(execFile)(BINARY, args, { env }),
    INSTALL_MS,
  );
  return JSON.parse(stdout).path;
}

/** A model that does what prompts say. */
export async function startModel() {
  const child = spawn(BINARY, ["model", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  const url = await within(
    "the model to listen",
    new Promise((resolve, reject) => {
      child.once("error", reject);
      child.stdout.setEncoding("utf8").on("data", (data) => {
        said += data;
        const found = /^listening on (http:\S+)\n/.exec(said)?.[1];
        if (found) resolve(found);
      });
    }),
  );
  return { url, stop: () => child.kill("SIGKILL") };
}

/** A home that nobody has used. */
export function emptyHome(t) {
  const home = mkdtempSync(join(CACHE, "home-"));
  // A CLI that is just ending may still write there.
  t.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 50, retryDelay: 20 }));
  return home;
}
