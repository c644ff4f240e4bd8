// Runs the shell and Python examples of a page in order, in one shell, next to a daemon of their own.

import { spawn } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { binary, type Daemon, startDaemon } from "@sandbox-agent/testkit";
import type { Block } from "./pages.ts";
import { adaptShell } from "./stand-ins.ts";

/** Longest time that a page may take. */
const PATIENCE_MS = 45_000;

/** Separates the output of the blocks. */
const MARK = "=====block";

/** Makes a failing request fail its command, and ends streams that a page leaves open. */
const PRELUDE = `
set -eEo pipefail
curl() { command curl --fail-with-body --max-time 40 "$@"; }
# Starts a daemon on a free port, and stops it as soon as it listens.
serves() {
  export SANDBOX_AGENT_PORT=0 SANDBOX_AGENT_DATA_DIR="$HOME/served"
  coproc SERVER { exec bash -c "$1"; }
  local server=$SERVER_PID line
  while read -r -t 20 line <&"\${SERVER[0]}"; do
    case "$line" in "listening on "*) kill "$server"; wait "$server" || true; return 0;; esac
  done
  echo "the daemon did not listen: $line"; kill "$server"; return 1
}
`;

/** Commands that no test may run, even if the rule `check` was forgotten. */
const REFUSED = /^\s*(sudo|systemctl|useradd|docker|npm|npx|cargo|vercel|wrangler)\b/m;

/** The output of each block that ran, by its line. */
export type Outputs = Map<number, string>;

/** Runs blocks. Rejects with the output if one of them fails. */
export async function runShell(page: string, blocks: Block[]): Promise<Outputs> {
  for (const { line, text } of blocks)
    if (REFUSED.test(text)) throw new Error(`${page}:${line}: needs the rule 'check' and a reason`);
  await using daemon = await startDaemon();
  const script = [PRELUDE, ...blocks.map(step), `echo "${MARK} end"`].join("\n");
  const { code, output } = await bash(script, daemon);
  const outputs: Outputs = new Map();
  for (const part of output.split(`${MARK} `).slice(1)) {
    const [line = "", ...rest] = part.split("\n");
    if (line !== "end") outputs.set(Number(line), rest.join("\n"));
  }
  if (code === 0) return outputs;
  const last = [...outputs.keys()].at(-1);
  throw new Error(`${page}:${last} failed (${code}):\n${outputs.get(last ?? 0) ?? output}\n${daemon.log}`);
}

function step({ language, rule, line, text }: Block): string {
  const code = language === "python" ? `python3 - <<'PROGRAM'\n${text}PROGRAM` : adaptShell(text);
  const mark = `echo "${MARK} ${line}"`;
  switch (rule.kind) {
    case "background":
      return `${mark}\n{\n${code}\n} &`;
    case "fails":
      return `${mark}\nif (\n${code}\n); then echo "it succeeded"; exit 1; fi`;
    case "retry":
      return `${mark}\nuntil {\n${code}\n}; do sleep 0.1; done`;
    case "serve":
      return `${mark}\n( serves ${quote(code)} )`;
    default:
      return `${mark}\n${code}`;
  }
}

function quote(text: string): string {
  return `'${text.trim().replaceAll("'", "'\\''")}'`;
}

async function bash(script: string, daemon: Daemon): Promise<{ code: number | null; output: string }> {
  const bin = join(daemon.home, ".bin");
  mkdirSync(bin);
  symlinkSync(binary, join(bin, "sandbox-agent"));
  const child = spawn("bash", ["--noprofile", "--norc", "-c", script], {
    cwd: daemon.home,
    env: {
      HOME: daemon.home,
      TMPDIR: daemon.home,
      PATH: `${bin}:${process.env["PATH"] ?? ""}`,
      LANG: "C.UTF-8",
      SANDBOX_AGENT_ENDPOINT: daemon.baseUrl,
      SANDBOX_AGENT_TOKEN: daemon.token,
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, which ends with the streams that the page leaves open.
    detached: true,
  });
  let output = "";
  const collect = (text: string): void => {
    output += text;
  };
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);
  const stop = (): void => {
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL");
    } catch {
      // Nothing is left of the group.
    }
  };
  const timer = setTimeout(stop, PATIENCE_MS);
  child.once("exit", stop);
  const code = await new Promise<number | null>((done) => child.once("close", done));
  clearTimeout(timer);
  return { code, output };
}

/** Returns why an example of output does not fit the output of a block, if so. `…` stands for anything. */
export function misfit(expected: string, output: string): string | undefined {
  const pieces = expected
    .split(/…|\n/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
  let from = 0;
  for (const piece of pieces) {
    const at = output.indexOf(piece, from);
    if (at < 0) return `'${piece}' is not in the rest of the output:\n${output.slice(from)}`;
    from = at + piece.length;
  }
  return undefined;
}
