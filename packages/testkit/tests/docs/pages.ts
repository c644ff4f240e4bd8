// The pages of the documentation, and the fenced blocks on them with the rule that each is tested by.
//
// The language of a block decides how it is tested. A comment on the line before the fence says otherwise:
//
//   <!-- test: background -->       sh: run it while the following blocks run, such as a stream without an end
//   <!-- test: serve -->            sh: run it until the daemon that it starts listens
//   <!-- test: retry -->            sh: repeat it until it succeeds, as the block before takes a moment
//   <!-- test: fails -->            sh: it must fail
//   <!-- test: output -->           the standard output of the block before it; `…` stands for anything
//   <!-- test: types -->            ts: compile it, but do not run it
//   <!-- test: check docker -->     sh: do not run it, for one of the REASONS; its syntax and flags are checked
//   <!-- test: elsewhere PATH -->   the test at PATH, which must name the page, covers it
//   <!-- test: text -->             nothing to test: a transcript of another program, or a drawing

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../../../../", import.meta.url));

/** Why a shell block cannot run in a test. */
const REASONS = {
  account: "needs an account with a provider",
  build: "compiles the daemon, which takes minutes",
  cluster: "needs a Kubernetes cluster",
  docker: "needs Docker",
  network: "downloads from the internet",
  published: "needs the published packages",
  root: "changes the system",
  terminal: "needs a terminal, or a program that reads standard input",
} as const;

export type Rule =
  | {
      kind:
        | "run"
        | "background"
        | "serve"
        | "retry"
        | "fails"
        | "types"
        | "output"
        | "json"
        | "toml"
        | "text";
    }
  | { kind: "check"; reason: keyof typeof REASONS }
  | { kind: "elsewhere"; path: string };

export interface Block {
  /** Path of the page, relative to the repository. */
  page: string;
  /** Line of the opening fence, counted from 1. */
  line: number;
  language: string;
  text: string;
  rule: Rule;
}

/** Rules of languages whose blocks need no comment. */
const DEFAULTS: Record<string, Rule> = {
  json: { kind: "json" },
  python: { kind: "run" },
  sh: { kind: "run" },
  toml: { kind: "toml" },
  ts: { kind: "run" },
  tsx: { kind: "run" },
};

const FOLDERS = ["", "docs", "docs/guides", "clients", "interop"];
const NESTED = ["apps", "packages", "examples", "skills"];
/** Printed by the program, which has its own tests. */
const GENERATED = new Set([
  "docs/cli.md",
  "docs/compatibility.md",
  "docs/http-api.md",
  "docs/typescript-api.md",
]);

/** Returns the paths of all pages, relative to the repository. */
export function pages(): string[] {
  const nested = NESTED.flatMap((folder) => directories(folder).map((name) => join(folder, name)));
  return [...FOLDERS, ...nested].flatMap((folder) =>
    files(folder)
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name)),
  );
}

/** Reads a page. */
export function read(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

/** Returns the blocks of a page. Throws if one has no rule. */
export function blocks(page: string): Block[] {
  const lines = read(page).split("\n");
  const found: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^( *)```(\S*)/.exec(lines[at] ?? "");
    if (fence === null) continue;
    const [, indent = "", language = ""] = fence;
    const end = lines.findIndex((line, index) => index > at && line === `${indent}\`\`\``);
    if (end < 0) throw new Error(`${page}:${at + 1}: the block has no end`);
    const text = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    const place = `${page}:${at + 1}`;
    const rule = GENERATED.has(page)
      ? ({ kind: "text" } as const)
      : ruleOf(language, lines[at - 1] ?? "", place);
    found.push({ page, line: at + 1, language, text: `${text.join("\n")}\n`, rule });
    at = end;
  }
  return found;
}

function ruleOf(language: string, before: string, place: string): Rule {
  const comment = /^ *<!-- test: (\S+)(?: (\S+))? -->$/.exec(before);
  if (comment === null) {
    const rule = DEFAULTS[language];
    if (rule === undefined) throw new Error(`${place}: a block of '${language}' needs a test comment`);
    return rule;
  }
  const [, kind, argument] = comment;
  switch (kind) {
    case "background":
    case "serve":
    case "retry":
    case "fails":
    case "output":
    case "types":
    case "text":
      return { kind };
    case "check":
      if (argument === undefined || !(argument in REASONS))
        throw new Error(`${place}: 'check' needs one of ${Object.keys(REASONS).join(", ")}`);
      return { kind, reason: argument as keyof typeof REASONS };
    case "elsewhere":
      if (argument === undefined) throw new Error(`${place}: 'elsewhere' needs the path of the test`);
      return { kind, path: argument };
    default:
      throw new Error(`${place}: there is no rule '${kind}'`);
  }
}

function files(folder: string): string[] {
  return entries(folder).filter((name) => statSync(join(ROOT, folder, name)).isFile());
}

function directories(folder: string): string[] {
  return entries(folder).filter((name) => statSync(join(ROOT, folder, name)).isDirectory());
}

function entries(folder: string): string[] {
  try {
    return readdirSync(join(ROOT, folder)).filter((name) => name !== "node_modules");
  } catch {
    return [];
  }
}
