// The daemon under test: the real binary on a free port of loopback, in a home of its own.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { within } from "./wait.js";

/** The token that the daemon asks for. */
export const TOKEN = "interop-token";

/** The time that stopping may take: the daemon's own bound and a margin for a busy machine. */
const STOP_MS = 15_000;

/** The binary under test. */
export const BINARY = resolve(
  process.env.SANDBOX_AGENT_TEST_BIN ?? fileURLToPath(new URL("../../target/debug/sandbox-agent", import.meta.url)),
);

/**
 * Starts a daemon. `limits` go to `[limits]` of its configuration file, `tables` are more of that file, `flags` more of
 * its command line. In addition to the built-in agents it has `kept`: the demo agent with sessions that outlive its process.
 */
export async function startDaemon({ limits = {}, tables = "", flags = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "sa-interop-"));
  const home = join(folder, "home");
  const config = join(folder, "config.toml");
  mkdirSync(home);
  writeFileSync(config, configuration(folder, limits) + tables);
  const args = ["server", "--config", config, "--host", "127.0.0.1", "--port", "0", "--token", TOKEN, ...flags];
  const env = { HOME: home, TMPDIR: folder, PATH: process.env.PATH, LANG: "C.UTF-8" };
  const child = spawn(BINARY, args, { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
  const daemon = new Daemon(child, folder, home);
  try {
    await within("the daemon to listen", daemon.listening);
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`${error.message}\n${daemon.log}`);
  }
  return daemon;
}

function configuration(folder, limits) {
  const lines = Object.entries(limits).map(([key, value]) => `${key} = ${value}`);
  const args = ["acp", "demo", "--state-dir", join(folder, "sessions")];
  return ["[limits]", ...lines, "[agents.kept]", `command = ${quote(BINARY)}`, `args = [${args.map(quote)}]`, ""].join("\n");
}

/** As TOML writes it; JSON writes strings the same way. */
const quote = (text) => JSON.stringify(text);

class Daemon {
  /** The output so far. */
  log = "";
  /** `http://ADDRESS:PORT`, once it listens. */
  url = "";

  constructor(child, folder, home) {
    this.child = child;
    this.folder = folder;
    this.home = home;
    this.exited = new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
    const keep = (data) => (this.log += data);
    child.stderr.setEncoding("utf8").on("data", keep);
    this.listening = new Promise((resolve, reject) => {
      child.once("error", reject);
      this.exited.then(({ code, signal }) => reject(new Error(`the daemon ended: ${code ?? signal}`)));
      child.stdout.setEncoding("utf8").on("data", (data) => {
        keep(data);
        this.url ||= /^listening on (http:\S+)\n/.exec(this.log)?.[1] ?? "";
        if (this.url) resolve();
      });
    });
    this.listening.catch(() => {});
  }

  /** The same address for WebSockets. */
  get socketUrl() {
    return this.url.replace(/^http/, "ws");
  }

  /** Headers of a client that may talk to it. */
  get headers() {
    return { Authorization: `Bearer ${TOKEN}` };
  }

  /** The servers that `GET /v1/acp` lists. */
  async servers() {
    const response = await fetch(`${this.url}/v1/acp`, { headers: this.headers });
    assert.equal(response.status, 200);
    return (await response.json()).servers;
  }

  /** Ends it by SIGTERM, which must make it exit by itself and successfully. */
  async stop() {
    try {
      this.child.kill("SIGTERM");
      const exit = await within("the daemon to end", this.exited, STOP_MS);
      assert.deepEqual(exit, { code: 0, signal: null }, this.log);
    } finally {
      this.child.kill("SIGKILL");
      rmSync(this.folder, { recursive: true, force: true });
    }
  }
}
