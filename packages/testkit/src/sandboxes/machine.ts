// A sandbox of a fake provider: a directory of its own, in which commands and the daemon really run.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface RunResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export class FakeMachine {
  /** Directory that stands for the sandbox's file system. */
  readonly root: string = mkdtempSync(join(tmpdir(), "sa-sandbox-"));
  readonly id: string;
  /** Variables of the sandbox. */
  env: Record<string, string>;
  readonly #home: string;
  readonly #children = new Set<ChildProcess>();

  /** @param home Path of the home directory in the sandbox. It is replaced in commands and paths. */
  constructor(id: string, home: string, env: Record<string, string> = {}) {
    this.id = id;
    this.#home = home;
    this.env = env;
  }

  /** Process ids of the commands that run. */
  get pids(): number[] {
    return [...this.#children].flatMap(({ pid }) => pid ?? []);
  }

  /** Returns where a path of the sandbox really is. Text around it stays as it is. */
  path(text: string): string {
    return text.replaceAll(this.#home, this.root);
  }

  write(path: string, content: Uint8Array | string, mode?: number): void {
    const real = this.path(path);
    mkdirSync(dirname(real), { recursive: true });
    writeFileSync(real, content, mode === undefined ? {} : { mode });
  }

  /** Starts a program in a process group of its own. */
  start(command: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const [program = "", ...args] = command.map((word) => this.path(word));
    const base = { PATH: process.env["PATH"] ?? "", HOME: this.root, TMPDIR: this.root, LANG: "C.UTF-8" };
    const child = spawn(program, args, {
      cwd: this.root,
      env: { ...base, ...this.env, ...env },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#children.add(child);
    child.stdin?.on("error", () => {});
    child.once("error", () => this.#children.delete(child));
    child.once("close", () => this.#children.delete(child));
    return child;
  }

  /** Runs a program until it ends. */
  async run(command: readonly string[], env: Record<string, string> = {}): Promise<RunResult> {
    const child = this.start(command, env);
    child.stdin?.end();
    const result: RunResult = { exitCode: 127, stdout: "", stderr: "" };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      result.stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      result.stderr += text;
    });
    const [code] = (await once(child, "close")) as [number | null];
    return { ...result, exitCode: code ?? 137 };
  }

  /** Sends a signal to all processes. */
  signal(signal: "SIGSTOP" | "SIGCONT" | "SIGTERM" | "SIGKILL"): void {
    for (const { pid } of this.#children) if (pid !== undefined) kill(pid, signal);
  }

  /** Ends all processes, as a shutdown of the sandbox does. */
  async stop(): Promise<void> {
    const { pids } = this;
    this.signal("SIGCONT");
    this.signal("SIGTERM");
    const late = setTimeout(() => {
      for (const pid of pids) kill(pid, "SIGKILL");
    }, 5_000);
    while (pids.some((pid) => kill(pid, 0))) await new Promise((resolve) => setTimeout(resolve, 20));
    clearTimeout(late);
  }

  async destroy(): Promise<void> {
    await this.stop();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Signals a process group. Returns whether it exists. */
function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}
