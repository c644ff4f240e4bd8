#!/usr/bin/env node
// Runs the program from the package for this platform: same arguments, input, output, signals and exit code.

import { spawn } from "node:child_process";
import { accessSync, chmodSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { constants as os } from "node:os";

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT"];
/** Signals of Ctrl-C, Ctrl-\ and a terminal that is closed. */
const FROM_TERMINAL = ["SIGINT", "SIGQUIT", "SIGHUP"];

/** Prints what is wrong and what to do, and ends this process. */
function fail(message) {
  process.stderr.write(`sandbox-agent: ${message}\n`);
  process.exit(1);
}

function findProgram() {
  const chosen = process.env.SANDBOX_AGENT_BIN;
  if (chosen) return chosen;
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) fail(`no program for ${platform}, only for ${PLATFORMS.join(", ")}`);
  const name = `@sandbox-agent/cli-${platform}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/sandbox-agent`);
  } catch {
    return fail(`the package ${name} is not installed; install again without --omit=optional`);
  }
}

const program = findProgram();
try {
  accessSync(program, constants.X_OK);
} catch {
  // Some tools drop permissions when they unpack packages. If it fails, starting it says why.
  try {
    chmodSync(program, 0o755);
  } catch {}
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`cannot run '${program}': ${error.message}`));
const isInTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
for (const signal of SIGNALS) {
  // A terminal sends these to the program as well, which ends at once on a second one.
  const isDelivered = isInTerminal && FROM_TERMINAL.includes(signal);
  process.on(signal, () => isDelivered || child.kill(signal));
}
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  // Ends the same way, so that a shell sees the signal. It may be one that is passed on here, or ignored.
  for (const one of SIGNALS) process.removeAllListeners(one);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(128 + (os.signals[signal] ?? 0)), 1_000);
});
