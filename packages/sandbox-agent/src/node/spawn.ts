// Starts the daemon as a child of this process. It ends with this process, however that ends.
/// <reference types="node" />

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { waitForHealth } from "../providers/health.ts";
import { TimeLimit } from "../providers/time-limit.ts";
import { findBinary } from "./binary.ts";
import { SpawnError } from "./errors.ts";
import { stopAtExit } from "./exit.ts";
import type { ProcessEnd, SpawnedSandboxAgent, SpawnOptions } from "./options.ts";
import { Output } from "./output.ts";

const HEALTH_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 10_000;
const TOKEN_BYTES = 24;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Starts a daemon on this machine and waits until it is healthy.
 *
 * The daemon and the agents it started end when the handle is disposed of, and when this process ends: normally, by an
 * uncaught exception, or by any signal including SIGKILL. A running daemon does not keep this process alive.
 *
 * @example
 * ```ts
 * await using daemon = await spawnSandboxAgent();
 * const client = await SandboxAgent.connect({ baseUrl: daemon.baseUrl, token: daemon.token });
 * ```
 * @throws {@link SpawnError} with the newest lines of the daemon's output.
 */
export async function spawnSandboxAgent(options: SpawnOptions = {}): Promise<SpawnedSandboxAgent> {
  options.signal?.throwIfAborted();
  const daemon = new EmbeddedDaemon(options);
  try {
    await daemon.start();
  } catch (error) {
    await daemon.dispose();
    throw error;
  }
  return daemon;
}

class EmbeddedDaemon implements SpawnedSandboxAgent {
  readonly token: string;
  readonly exited: Promise<ProcessEnd>;
  baseUrl = "";

  readonly #options: SpawnOptions;
  readonly #binary: string;
  readonly #child: Child;
  readonly #output = new Output();
  readonly #forget: () => void;
  #spawnError: Error | undefined;
  #disposal: Promise<void> | undefined;

  constructor(options: SpawnOptions) {
    this.#options = options;
    this.token = options.token ?? randomBytes(TOKEN_BYTES).toString("hex");
    this.#binary = findBinary({ binary: options.binary, env: { ...process.env, ...options.env } });
    // In a process group of its own, so that Ctrl-C reaches this process only, which then decides.
    this.#child = spawn(this.#binary, flags(options), {
      cwd: options.cwd,
      env: environment(options.env, this.token),
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    const child = this.#child;
    // The input is the daemon's lifeline and never written to; it breaks when the daemon ends.
    child.stdin.on("error", () => {});
    this.exited = new Promise((resolve) => {
      child.once("error", (error) => {
        this.#spawnError = error;
        if (child.pid === undefined) resolve({ code: null, signal: null });
      });
      child.once("close", (code, signal) => resolve({ code, signal }));
    });
    this.#forget = stopAtExit(() => this.#kill("SIGTERM"));
    void this.exited.then(this.#forget);
    passOn(this.#output, options.log ?? "silent");
    this.#output.read(child.stdout);
    this.#output.read(child.stderr);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  log(): string[] {
    return this.#output.lines();
  }

  /** Waits until the daemon answers, then lets this process end while it runs. */
  async start(): Promise<void> {
    const ms = this.#options.healthTimeoutMs ?? HEALTH_TIMEOUT_MS;
    const caller = this.#options.signal;
    const limit = new TimeLimit(ms, caller);
    let end: ProcessEnd | undefined;
    void this.exited.then((how) => {
      end = how;
      limit.abort(new Error("the daemon ended"));
    });
    try {
      this.baseUrl = await this.#address(limit.signal);
      await waitForHealth(this.baseUrl, limit.signal);
    } catch (cause) {
      caller?.throwIfAborted();
      if (end !== undefined) throw this.#startFailure(end);
      throw new SpawnError("unhealthy", `the daemon was not healthy within ${ms} ms`, {
        log: this.log(),
        cause,
      });
    } finally {
      limit.release();
    }
    this.#release();
  }

  async dispose(): Promise<void> {
    this.#disposal ??= this.#stop();
    await this.#disposal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  async #stop(): Promise<void> {
    this.#child.ref();
    this.#kill("SIGTERM");
    const timer = setTimeout(() => this.#kill("SIGKILL"), this.#options.stopTimeoutMs ?? STOP_TIMEOUT_MS);
    await this.exited;
    clearTimeout(timer);
    this.#child.stdin.destroy();
  }

  /** Signals the process group: the launcher of an npm package has the daemon as its child. */
  #kill(signal: "SIGTERM" | "SIGKILL"): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      process.kill(signal === "SIGKILL" ? -pid : pid, signal);
    } catch {
      // The process ended meanwhile.
    }
  }

  /** Resolves with the address that the daemon prints first. */
  #address(signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        stop();
        reject(signal.reason);
      };
      const stop = this.#output.onLine((line) => {
        const url = /^listening on (http:\S+)$/.exec(line)?.[1];
        if (url === undefined) return;
        stop();
        signal.removeEventListener("abort", abort);
        resolve(reachable(url));
      });
      if (signal.aborted) abort();
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  /** A daemon that nobody disposes of must not keep this process alive. */
  #release(): void {
    this.#child.unref();
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      if ("unref" in stream && typeof stream.unref === "function") stream.unref();
    }
  }

  #startFailure(end: ProcessEnd): SpawnError {
    const log = this.log();
    const cause = this.#spawnError;
    if (cause !== undefined) {
      const advice = "check that it is a program for this platform and that it is executable (chmod +x)";
      const message = `cannot run '${this.#binary}': ${cause.message}; ${advice}`;
      return new SpawnError("binary_not_executable", message, { log, end, cause });
    }
    if (log.some((line) => /cannot listen on port .*(in use|another program)/i.test(line))) {
      const port = this.#options.port ?? 0;
      return new SpawnError("port_in_use", `port ${port} is in use; leave 'port' out to use a free one`, {
        log,
        end,
      });
    }
    const how = end.signal === null ? `with exit code ${end.code}` : `by ${end.signal}`;
    return new SpawnError("exited", `'${this.#binary}' ended ${how} before it was healthy`, { log, end });
  }
}

function flags(options: SpawnOptions): string[] {
  const { host = "127.0.0.1", port = 0, dataDir, args = [] } = options;
  const sessions = options.sessions ?? (dataDir === undefined ? "memory" : "disk");
  const list = ["server", "--exit-on-stdin-close", "--host", host, "--port", String(port)];
  if (dataDir !== undefined) list.push("--data-dir", dataDir);
  if (sessions === "memory") list.push("--no-store");
  return [...list, ...args];
}

/** The token is passed by environment, where other users cannot see it. */
function environment(extra: SpawnOptions["env"], token: string): Record<string, string | undefined> {
  // These would contradict the token.
  const others = { SANDBOX_AGENT_TOKEN_FILE: undefined, SANDBOX_AGENT_NO_TOKEN: undefined };
  return { ...process.env, ...extra, ...others, SANDBOX_AGENT_TOKEN: token };
}

function passOn(output: Output, log: NonNullable<SpawnOptions["log"]>): void {
  if (log === "silent") return;
  output.onLine((line) => {
    if (log === "inherit") {
      process.stderr.write(`${line}\n`);
      return;
    }
    try {
      log(line);
    } catch {
      // An error of a log function must not end this process.
    }
  });
}

/** The address to connect to if the daemon listens on all addresses. */
function reachable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}
