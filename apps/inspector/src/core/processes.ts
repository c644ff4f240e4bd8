// Processes as people name them.

import type { ProcessInfo } from "sandbox-agent";

/** The best shell that the sandbox has. */
export const SHELL = { command: "sh", args: ["-c", "exec $(command -v bash || command -v sh)"] };

/** Returns the command line, or a name for a terminal that this page opened. */
export function processTitle({ command, args }: Pick<ProcessInfo, "command" | "args">): string {
  const line = [command, ...args].join(" ");
  return line === [SHELL.command, ...SHELL.args].join(" ") ? "Interactive shell" : line;
}
