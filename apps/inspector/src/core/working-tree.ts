// Reads from git the changes in a session's directory since the session began.

import type { SandboxAgent } from "sandbox-agent";

export interface TreeFile {
  /** Path below the session's directory. */
  readonly path: string;
  /** Path before a rename. */
  readonly oldPath?: string;
  readonly kind: "tracked" | "untracked";
  /** Lines, unless the file is binary or untracked. */
  readonly added?: number;
  readonly removed?: number;
}

export interface WorkingTree {
  /** Commit or tree that the files are compared with. */
  readonly base: string;
  /** True if the base is a commit; otherwise no commit is older than the session. */
  readonly isCommit: boolean;
  readonly files: readonly TreeFile[];
  /** Untracked files that are left out. */
  readonly omitted: number;
}

/** Untracked files that are listed. A directory that nobody ignores may hold thousands. */
const UNTRACKED = 300;

/** Largest file that is compared. */
const TEXT_BYTES = 1_048_576;

/** Settings of a repository must not run programs when somebody only looks at it. */
const SAFE = ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"];

/** Returns the changes since a time, or undefined if the directory is in no repository or git is not installed. */
export async function readWorkingTree(
  client: SandboxAgent,
  directory: string,
  since: string,
  signal: AbortSignal,
): Promise<WorkingTree | undefined> {
  const git = (...args: string[]): Promise<string | undefined> => run(client, directory, args, signal);
  if ((await git("rev-parse", "--is-inside-work-tree"))?.trim() !== "true") return undefined;
  const commit = (await git("rev-list", "-1", "--first-parent", `--before=${since}`, "HEAD"))?.trim();
  const isCommit = commit !== undefined && commit !== "";
  const base = isCommit ? commit : ((await git("hash-object", "-t", "tree", "/dev/null")) ?? "").trim();
  const [changed, untracked] = await Promise.all([
    git("diff", "--numstat", "-z", "--no-ext-diff", "--no-textconv", "--find-renames", "--relative", base),
    git("ls-files", "--others", "--exclude-standard", "-z"),
  ]);
  const others = parts(untracked);
  const files = [
    ...parseNumstat(changed ?? ""),
    ...others.slice(0, UNTRACKED).map((path): TreeFile => ({ path, kind: "untracked" })),
  ];
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { base, isCommit, files, omitted: Math.max(0, others.length - UNTRACKED) };
}

/** Reads a file as it was and as it is. Undefined if it is not text, or too large to compare. */
export async function readTexts(
  client: SandboxAgent,
  directory: string,
  base: string,
  file: TreeFile,
  signal: AbortSignal,
): Promise<{ oldText: string; newText: string } | undefined> {
  const [oldText, newText] = await Promise.all([
    file.kind === "untracked"
      ? ""
      : run(client, directory, ["show", `${base}:./${file.oldPath ?? file.path}`], signal),
    readText(client, `${directory}/${file.path}`, signal),
  ]);
  if (newText === undefined || oldText?.includes("\u0000") === true) return undefined;
  return { oldText: oldText ?? "", newText };
}

/** Reads `git diff --numstat -z`: a rename has an empty path, then both names. */
export function parseNumstat(output: string): TreeFile[] {
  const fields = parts(output);
  const files: TreeFile[] = [];
  for (let at = 0; at < fields.length; at += 1) {
    const [added = "", removed = "", path = ""] = fields[at]?.split("\t") ?? [];
    const counts = added === "-" ? {} : { added: Number(added), removed: Number(removed) };
    if (path !== "") files.push({ path, kind: "tracked", ...counts });
    else {
      const [oldPath = "", newPath = ""] = fields.slice(at + 1, at + 3);
      files.push({ path: newPath, oldPath, kind: "tracked", ...counts });
      at += 2;
    }
  }
  return files;
}

function parts(output: string | undefined): string[] {
  return (output ?? "").split("\u0000").filter((part) => part !== "");
}

/** Returns the output of a git command, or undefined if it failed. */
async function run(
  client: SandboxAgent,
  cwd: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const env = { GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" };
  const command = { command: "git", args: [...SAFE, ...args], cwd, env, timeoutMs: 15_000 };
  try {
    const result = await client.processes.run(command, { signal });
    return result.exitCode === 0 && !result.stdoutTruncated ? result.stdout : undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

/** The text of a file; empty if it is gone. */
async function readText(
  client: SandboxAgent,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { size, entryType } = await client.fs.stat(path, { signal });
    if (entryType !== "file" || size > TEXT_BYTES) return undefined;
    const text = await client.fs.readText(path, { signal });
    return text.includes("\u0000") ? undefined : text;
  } catch (error) {
    if (signal.aborted) throw error;
    return "";
  }
}
