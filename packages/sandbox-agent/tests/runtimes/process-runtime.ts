// Runtimes that are programs of the system: bundles the program under test and starts it with a clean environment.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "@sandbox-agent/testkit";
import { build, type Platform } from "esbuild";
import type { Runtime } from "./harness.ts";

/** A folder for one run, with the bundled program in it. */
export interface Workplace {
  folder: string;
  program: string;
}

/** Bundles a program with all that it imports. */
export async function bundleProgram(entry: URL, platform: Platform): Promise<Workplace> {
  const folder = mkdtempSync(join(tmpdir(), "sa-runtime-"));
  const program = join(folder, "program.js");
  await build({
    entryPoints: [entry.pathname],
    outfile: program,
    bundle: true,
    format: "esm",
    platform,
    target: "es2022",
    conditions: ["@sandbox-agent/source"],
    logLevel: "silent",
  });
  return { folder, program };
}

/** Starts a program of the system in a workplace, which is deleted once it has ended. */
export function startProgram(
  command: string,
  args: string[],
  { folder }: Workplace,
  pipes: "pipe"[] = [],
): { child: ChildProcess; runtime: Runtime } {
  const env = { HOME: folder, TMPDIR: folder, PATH: process.env["PATH"] ?? "", SANDBOX_AGENT_BIN: binary };
  const child = spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe", ...pipes] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (data: string) => {
      output += data;
    });
  }
  const end = async (): Promise<string[]> => {
    const [code, signal] = await once(child, "close");
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    const complaints = output.split("\n").filter((line) => line.trim() !== "");
    return code === 0 ? complaints : [...complaints, `ended with ${code ?? signal}`];
  };
  const ended = end().catch((error: unknown) => [String(error)]);
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  return { child, runtime: { ended, kill } };
}
