// Runs the shell and Python examples of a page in order, in one shell, next to a daemon of their own.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, type Daemon, startDaemon } from "@sandbox-agent/testkit";
import type { Block } from "./pages.ts";
import { adaptShell } from "./stand-ins.ts";

/** Longest time that a page may take. */
const PATIENCE_MS = 45_000;

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

/** The standard output of each block that ran, by its line. */
export type Outputs = Map<number, string>;

/** Runs blocks. Rejects with the output if one of them fails. */
export async function runShell(page: string, blocks: Block[]): Promise<Outputs> {
  for (const { line, text } of blocks)
    if (REFUSED.test(text)) throw new Error(`${page}:${line}: needs the rule 'check' and a reason`);
  await using daemon = await startDaemon();
  const folder = mkdtempSync(join(tmpdir(), "sa-docs-"));
  try {
    // Each block has a file of its own, so a stream that one leaves open does not mix with the output of the next.
    const fileOf = ({ line }: Block): string => join(folder, String(line));
    const script = [PRELUDE, ...blocks.map((block) => step(block, quote(fileOf(block))))].join("\n");
    const { code, stderr } = await bash(script, daemon);
    const ran = blocks.filter((block) => existsSync(fileOf(block)));
    const outputs: Outputs = new Map(ran.map((block) => [block.line, readFileSync(fileOf(block), "utf8")]));
    if (code === 0) return outputs;
    const last = ran.at(-1)?.line ?? 0;
    throw new Error(
      `${page}:${last} failed (${code}):\n${outputs.get(last) ?? ""}\n${stderr}\n${daemon.log}`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the commands that run a block and write its standard output to a file. */
function step({ language, rule, text }: Block, file: string): string {
  const code = language === "python" ? `python3 - <<'PROGRAM'\n${text}PROGRAM` : adaptShell(text);
  switch (rule.kind) {
    case "background":
      return `{\n${code}\n} >${file} &`;
    case "fails":
      return `if (\n${code}\n) >${file}; then echo "it succeeded" >&2; exit 1; fi`;
    case "retry":
      return `until {\n${code}\n} >${file}; do sleep 0.1; done`;
    case "serve":
      return `( serves ${quote(code)} ) >${file}`;
    default:
      return `{\n${code}\n} >${file}`;
  }
}

function quote(text: string): string {
  return `'${text.trim().replaceAll("'", "'\\''")}'`;
}

async function bash(script: string, daemon: Daemon): Promise<{ code: number | null; stderr: string }> {
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
    stdio: ["ignore", "ignore", "pipe"],
    // A group of its own, which ends with the streams that the page leaves open.
    detached: true,
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
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
  return { code, stderr };
}

/**
 * Returns why an example of output does not fit the output of a block, if so. `…` stands for anything, also at the
 * beginning and at the end. Nothing else may be left out. The amount of white space does not matter.
 */
export function misfit(expected: string, output: string): string | undefined {
  const [first = "", ...pieces] = expected.split("…").map(singleSpaced);
  const last = pieces.pop();
  let rest = singleSpaced(output);
  if (last === undefined) return rest === first ? undefined : `'${first}' is not the output:\n${output}`;
  if (!rest.startsWith(first)) return `the output does not begin with '${first}':\n${output}`;
  rest = rest.slice(first.length);
  for (const piece of pieces) {
    const at = rest.indexOf(piece);
    if (at < 0) return `'${piece}' is not in the rest of the output:\n${rest}`;
    rest = rest.slice(at + piece.length);
  }
  return rest.endsWith(last) ? undefined : `the output does not end with '${last}':\n${rest}`;
}

function singleSpaced(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}
