// Rules that "Always" offers for a request: from exactly this call to every call of the tool.

import type { AllowRule, PermissionRequest } from "sandbox-agent";
import { baseName } from "./format.ts";
import { commandOf, membersOf } from "./tool-view.ts";

export interface RuleScope {
  readonly label: string;
  readonly rule: AllowRule;
}

/** Programs whose first argument says what they do. */
const WITH_SUBCOMMAND = new Set([
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "git",
  "cargo",
  "go",
  "docker",
  "make",
  "npx",
  "uv",
]);

/** Returns the scopes for a request, the narrowest first. The daemon refuses a rule that does not match the request. */
export function scopesOf(request: PermissionRequest): RuleScope[] {
  const tool = request.kind === "other" ? (request.tool ?? request.kind) : request.kind;
  const everything: RuleScope = { label: everyCall(request), rule: { tool } };
  const command = request.kind === "execute" ? commandOf(request.input) : undefined;
  const inputs = command === undefined ? placesOf(request) : commandsLike(command);
  return [...inputs.map(({ label, input }) => ({ label, rule: { tool, input } })), everything];
}

/** Returns a rule as one line, such as `execute · npm test *`. */
export function ruleText(rule: AllowRule): string {
  return rule.input === undefined ? `${rule.tool} · everything` : `${rule.tool} · ${rule.input}`;
}

function everyCall(request: PermissionRequest): string {
  switch (request.kind) {
    case "execute":
      return "Every command";
    case "edit":
      return "Every edit";
    case "fetch":
      return "Every address";
    default:
      return `Every call of ${request.tool ?? request.kind}`;
  }
}

interface Scoped {
  readonly label: string;
  readonly input: string;
}

/** A command that joins several others cannot be matched by its beginning. */
function commandsLike(command: string): Scoped[] {
  const exact = { label: "This command", input: command };
  const words = command.split(/\s+/);
  const [program = "", first] = words;
  if (/[;&|`<>()\n]/.test(command) || words.length < 2) return [exact];
  const hasSubcommand = first !== undefined && WITH_SUBCOMMAND.has(program) && /^[a-z][\w:-]*$/.test(first);
  const starts = hasSubcommand && words.length > 2 ? [`${program} ${first}`, program] : [program];
  return [
    exact,
    ...starts.map((start) => ({ label: `Commands that start with ${start}`, input: `${start} *` })),
  ];
}

function placesOf(request: PermissionRequest): Scoped[] {
  const members = membersOf(request.input);
  const url = ["url", "uri"].map((name) => members[name]).find(isText);
  if (url !== undefined) return addressesLike(url);
  const named = ["file_path", "filePath", "path", "notebook_path"].map((name) => members[name]);
  const shown = (request.parts ?? []).flatMap((part) => (part.type === "file" ? [part.path] : []));
  const paths = [...named, ...shown].filter(isText).filter((path) => path.includes("/"));
  const [path] = paths;
  // A rule has to match every path of a call.
  if (path === undefined || new Set(paths).size > 1) return [];
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const scopes = [{ label: `Only ${baseName(path)}`, input: path }];
  return folder === "/"
    ? scopes
    : [...scopes, { label: `Files in ${baseName(folder)}/`, input: `${folder}*` }];
}

const isText = (value: unknown): value is string => typeof value === "string";

function addressesLike(url: string): Scoped[] {
  const exact = { label: "This address", input: url };
  try {
    const { origin, host } = new URL(url);
    return [exact, { label: `Addresses at ${host}`, input: `${origin}/*` }];
  } catch {
    return [exact];
  }
}
