// Shared options of the providers, and the shell scripts that install and run the daemon in a sandbox.

import { VERSION } from "./version.ts";

/** Where a sandbox gets the `sandbox-agent` program from. */
export type Program =
  /** Name or path of a program that the image already has. */
  | { installed: string }
  /** Path of a Linux program on this machine. It is uploaded. */
  | { file: string }
  /** Address that the sandbox downloads the program from, with curl or wget. */
  | { url: string; sha256?: string | undefined }
  /** Shell command that puts `sandbox-agent` on the `PATH` of the sandbox. */
  | { install: string }
  /** Version of the npm package `@sandbox-agent/cli`. The sandbox needs Node.js and npm. */
  | { npm: string };

/** Options that all providers share. */
export interface DaemonOptions {
  /**
   * Where the sandbox gets the program from. By default the one on its `PATH`; if there is none, the npm package with
   * the version of this SDK.
   */
  program?: Program | undefined;
  /** Port of the daemon in the sandbox, 7717 by default. */
  port?: number | undefined;
  /** Variables of the daemon, and so of its agents, such as `ANTHROPIC_API_KEY`. */
  env?: Record<string, string> | undefined;
  /** Additional flags of `sandbox-agent server`, such as `["--clean-env"]`. */
  args?: readonly string[] | undefined;
  /** Longest time for the whole start in milliseconds, 300,000 by default. */
  startTimeoutMs?: number | undefined;
  /** Longest time from the start of the daemon until it is healthy in milliseconds, 60,000 by default. */
  healthTimeoutMs?: number | undefined;
}

/** Not 2468: some providers only open ports between 3000 and 9999. Not 3000, 4096 or 8080: others use them. */
export const DEFAULT_PORT = 7717;
export const DEFAULT_START_TIMEOUT_MS = 300_000;
export const DEFAULT_HEALTH_TIMEOUT_MS = 60_000;

/** Most of the daemon's output that is kept for `logs` and errors. */
export const LOG_BYTES = 65_536;

const NAME = "sandbox-agent";

/** Returns the variables of the daemon. The token is passed here, where other users cannot see it. */
export function daemonEnv(options: DaemonOptions, token: string): Record<string, string> {
  return { ...options.env, SANDBOX_AGENT_TOKEN: token };
}

/** Returns the arguments of the program. */
export function serverArgs(options: DaemonOptions): string[] {
  const port = String(options.port ?? DEFAULT_PORT);
  return ["server", "--host", "0.0.0.0", "--port", port, ...(options.args ?? [])];
}

/** Returns the path of the program in a sandbox once it is installed. */
export function programPath(program: Program | undefined, folder: string): string {
  return program !== undefined && "installed" in program ? program.installed : `${folder}/${NAME}`;
}

/** Returns the script that puts the program into `folder`, or nothing if no script is needed. */
export function installScript(program: Program | undefined, folder: string): string | undefined {
  if (program === undefined) {
    const link = `ln -sf "$found" ${quote(`${folder}/${NAME}`)}`;
    return script(
      folder,
      `if found=$(command -v ${NAME}); then ${link}; exit 0; fi`,
      ...npm(VERSION, folder),
    );
  }
  if ("installed" in program || "file" in program) return undefined;
  if ("npm" in program) return script(folder, ...npm(program.npm, folder));
  if ("url" in program) return script(folder, ...download(program.url, program.sha256, folder));
  const link = `ln -sf "$(command -v ${NAME})" ${quote(`${folder}/${NAME}`)}`;
  return script(folder, program.install, link);
}

/** Returns the script that runs the daemon until it ends. Its output and exit code are kept in `folder`. */
export function serverScript(options: DaemonOptions, folder: string): string {
  const command = [programPath(options.program, folder), ...serverArgs(options)].map(quote).join(" ");
  const log = quote(`${folder}/daemon.log`);
  const exit = quote(exitFile(folder));
  return `mkdir -p ${quote(folder)}; rm -f ${exit}; ${command} >>${log} 2>&1 </dev/null; echo $? >${exit}`;
}

/** Returns the script that prints the newest output of the daemon. */
export function logScript(folder: string): string {
  return `tail -c ${LOG_BYTES} ${quote(`${folder}/daemon.log`)} 2>/dev/null || true`;
}

/** Returns the script that prints the exit code of the daemon, if it ended. */
export function exitScript(folder: string): string {
  return `cat ${quote(exitFile(folder))} 2>/dev/null || true`;
}

/** Quotes a word for a POSIX shell. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function exitFile(folder: string): string {
  return `${folder}/daemon.exit`;
}

function script(folder: string, ...lines: string[]): string {
  return ["set -e", `mkdir -p ${quote(folder)}`, ...lines].join("\n");
}

/** Into a folder of its own: the global one of npm is often writable for root only. */
function npm(version: string, folder: string): string[] {
  return [
    `npm install --no-audit --no-fund --prefix ${quote(folder)} @sandbox-agent/cli@${quote(version)}`,
    `ln -sf ${quote(`${folder}/node_modules/.bin/${NAME}`)} ${quote(`${folder}/${NAME}`)}`,
  ];
}

/** Moved into place at the end, so that an interrupted download is never run. */
function download(url: string, sha256: string | undefined, folder: string): string[] {
  const part = quote(`${folder}/${NAME}.part`);
  const lines = [
    `if command -v curl >/dev/null; then curl -fsSL ${quote(url)} -o ${part}; else wget -qO ${part} ${quote(url)}; fi`,
  ];
  if (sha256 !== undefined) lines.push(`echo ${quote(sha256)}"  "${part} | sha256sum -c -`);
  return [...lines, `chmod 755 ${part}`, `mv ${part} ${quote(`${folder}/${NAME}`)}`];
}
