// The daemon under test: the real binary on a free port of loopback, in a home of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.ts";

/** The binary under test. */
export const binary: string = resolve(
  process.env["SANDBOX_AGENT_TEST_BIN"] ??
    fileURLToPath(new URL("../../../target/debug/sandbox-agent", import.meta.url)),
);

/** Longest time that a daemon may take to listen or to stop. */
const PATIENCE_MS = 60_000;

export interface DaemonOptions {
  /** Content of the configuration file, as TOML. */
  config?: string;
  /** Additional flags of `sandbox-agent server`. */
  flags?: string[];
  /** Additional variables. The environment of the test is not inherited. */
  env?: Record<string, string>;
  /** Program to start in place of the binary under test. */
  binary?: string;
  /** Port to listen on; a free one if absent. */
  port?: number;
}

/** Starts a daemon. Dispose of it to stop it and to delete its files. */
export async function startDaemon(options: DaemonOptions = {}): Promise<Daemon> {
  const daemon = new Daemon(options);
  await daemon.start();
  return daemon;
}

export class Daemon implements AsyncDisposable {
  readonly token = "test-token";
  /** Home of the daemon and default directory of its sessions. */
  readonly home: string;
  /** Output so far. */
  log = "";
  /** `http://127.0.0.1:PORT`, once it listens. Stays the same across restarts. */
  baseUrl = "";

  readonly #folder: string;
  readonly #options: DaemonOptions;
  #child: ChildProcess | undefined;
  #port: number | undefined;

  constructor(options: DaemonOptions) {
    this.#options = options;
    this.#folder = mkdtempSync(join(tmpdir(), "sa-test-"));
    this.home = join(this.#folder, "home");
    mkdirSync(this.home);
    writeFileSync(join(this.#folder, "config.toml"), options.config ?? "");
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error("the daemon is not running");
    return pid;
  }

  /** Options for `SandboxAgent.connect`. */
  get connection(): { baseUrl: string; token: string } {
    return { baseUrl: this.baseUrl, token: this.token };
  }

  get headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.token}` };
  }

  /** Starts the process, again on the same port if it ran before. */
  async start(): Promise<void> {
    // A port that the system gives out could be taken by a connection between a kill and the next start.
    this.#port ??= this.#options.port ?? (await freePort());
    const flags = ["--host", "127.0.0.1", "--port", String(this.#port), ...(this.#options.flags ?? [])];
    const args = ["server", "--config", join(this.#folder, "config.toml"), ...flags];
    const child = spawn(this.#options.binary ?? binary, args, {
      cwd: this.home,
      env: this.#environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    const started = this.log.length;
    const listening = new Promise<void>((listen, fail) => {
      child.once("error", fail);
      child.once("close", (code, signal) =>
        fail(new Error(`the daemon ended: ${code ?? signal}\n${this.log}`)),
      );
      const read = (data: string): void => {
        this.log += data;
        const url = /^listening on (http:\S+)\n/m.exec(this.log.slice(started))?.[1];
        if (url === undefined) return;
        this.baseUrl = url;
        listen();
      };
      child.stdout.setEncoding("utf8").on("data", read);
      child.stderr.setEncoding("utf8").on("data", read);
    });
    await within(listening, `the daemon did not listen\n${this.log}`);
  }

  /** Kills the process without warning, as a crash of the machine would. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Kills the process and starts it again on the same port with the same data. */
  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** Stops the process and deletes its files. */
  async stop(): Promise<void> {
    try {
      await this.#end("SIGTERM");
    } finally {
      this.#child?.kill("SIGKILL");
      rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "close");
    child.kill(signal);
    await within(ended, `the daemon did not end\n${this.log}`);
  }

  #environment(): Record<string, string> {
    const path = process.env["PATH"] ?? "";
    const clean = { HOME: this.home, TMPDIR: this.#folder, PATH: path, LANG: "C.UTF-8" };
    return { ...clean, SANDBOX_AGENT_TOKEN: this.token, ...this.#options.env };
  }
}

async function within<T>(promise: Promise<T>, failure: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(failure)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
