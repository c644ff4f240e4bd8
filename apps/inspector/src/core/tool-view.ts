// How a tool call reads as one line: a verb, what it is about, and how it stands.

import { outputOf, type ToolPart } from "sandbox-agent/transcript";
import { countChanges, diffLines } from "./diff.ts";
import { shortPath } from "./format.ts";

export interface ToolSummary {
  readonly verb: string;
  /** File, command, pattern or address that the call is about. */
  readonly target: string;
  /** True if the target is code or a path and belongs in a monospaced font. */
  readonly code: boolean;
}

const VERBS: Record<string, string> = {
  read: "Read",
  edit: "Edit",
  delete: "Delete",
  move: "Move",
  search: "Search",
  execute: "Run",
  think: "Think",
  fetch: "Fetch",
  switchMode: "Switch mode",
};

/** Summarizes a call by its kind and input. Calls of no known kind keep the agent's own title. */
export function summarize(
  tool: Pick<ToolPart, "kind" | "title" | "name" | "input" | "locations">,
  cwd: string | undefined,
): ToolSummary {
  const verb = VERBS[tool.kind];
  const target = targetOf(tool, cwd);
  if (verb === undefined || target === undefined) return fromTitle(tool, cwd, verb);
  return { verb, target, code: true };
}

function fromTitle(
  tool: Pick<ToolPart, "title" | "name">,
  cwd: string | undefined,
  verb: string | undefined,
): ToolSummary {
  const base = cwd === undefined ? undefined : `${cwd.replace(/\/+$/, "")}/`;
  const title = base === undefined ? tool.title : tool.title.replaceAll(base, "");
  if (verb !== undefined && title.toLowerCase().startsWith(`${verb.toLowerCase()} `)) {
    return { verb, target: title.slice(verb.length + 1), code: false };
  }
  return title === ""
    ? { verb: tool.name ?? "Tool call", target: "", code: false }
    : { verb: title, target: "", code: false };
}

function targetOf(
  tool: Pick<ToolPart, "kind" | "input" | "locations">,
  cwd: string | undefined,
): string | undefined {
  const input = membersOf(tool.input);
  switch (tool.kind) {
    case "execute":
      return commandOf(tool.input);
    case "search": {
      const what = textOf(input, "pattern", "query", "regex", "glob");
      const where = textOf(input, "path", "directory", "cwd");
      if (what === undefined) return undefined;
      return where === undefined ? what : `${what}  in ${shortPath(where, cwd)}`;
    }
    case "fetch":
      return textOf(input, "url", "uri");
    default: {
      const path = textOf(input, "file_path", "filePath", "path", "notebook_path") ?? tool.locations[0]?.path;
      return path === undefined ? undefined : shortPath(path, cwd);
    }
  }
}

/** Returns the command line of a call, whichever way the agent spells it. */
export function commandOf(value: unknown): string | undefined {
  const { command, cmd, script, args } = membersOf(value);
  const line = command ?? cmd ?? script;
  const words = Array.isArray(args) ? args : [];
  if (typeof line === "string") return [line, ...words].join(" ");
  if (!Array.isArray(line)) return undefined;
  const shell =
    line.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(String(line[0])) && /^-\w*c$/.test(String(line[1]));
  return shell ? String(line[2]) : line.join(" ");
}

/** Returns a call's todo list, if its input has one. */
export function todosOf(tool: ToolPart): readonly { text: string; status: string }[] {
  const { todos, plan } = membersOf(tool.input);
  const list = Array.isArray(todos) ? todos : Array.isArray(plan) ? plan : [];
  return list.flatMap((entry: unknown) => {
    const text = textOf(membersOf(entry), "content", "step", "text", "title");
    const status = textOf(membersOf(entry), "status") ?? "pending";
    return text === undefined ? [] : [{ text, status }];
  });
}

export interface SearchHit {
  readonly path: string;
  readonly line: number | undefined;
  readonly text: string;
}

/** Reads `path:line:text`, as grep and ripgrep print it. Undefined if the output looks different. */
export function searchHits(output: string): readonly SearchHit[] | undefined {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const hits = lines.map((line): SearchHit | undefined => {
    const match = /^([^\s:][^:]*):(\d+):(.*)$/.exec(line);
    if (match !== null) return { path: match[1] ?? "", line: Number(match[2]), text: match[3] ?? "" };
    return /^[\w./@-]+\.\w+$/.test(line) ? { path: line, line: undefined, text: "" } : undefined;
  });
  const known = hits.filter((hit) => hit !== undefined);
  return known.length > 0 && known.length >= lines.length - 1 ? known : undefined;
}

/** Counts the lines that a call adds and removes. */
export function changesOf(tool: ToolPart): { added: number; removed: number } | undefined {
  const diffs = tool.content.filter((content) => content.type === "diff");
  if (diffs.length === 0) return undefined;
  const total = { added: 0, removed: 0 };
  for (const diff of diffs) {
    const { added, removed } = countChanges(diffLines(diff.oldText ?? "", diff.newText));
    total.added += added;
    total.removed += removed;
  }
  return total;
}

/** Returns the exit code that the call reports, in its output or in what it printed last. */
export function exitCodeOf(tool: ToolPart): number | undefined {
  const { exitCode, exit_code: old, code } = membersOf(tool.output);
  const value = exitCode ?? old ?? code;
  if (typeof value === "number") return value;
  const printed = /exit(?:ed with)? code:? (\d+)/i.exec(outputOf(tool).slice(-200))?.[1];
  return printed === undefined ? undefined : Number(printed);
}

export function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function textOf(members: Record<string, unknown>, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = members[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}
