// Checks shell examples that a test cannot run: their syntax, and the commands and flags that they use.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, read } from "./pages.ts";

/** The flags of each command, from the generated reference. */
const COMMANDS: ReadonlyMap<string, Set<string>> = new Map(
  read("docs/cli.md")
    .split("\n## `")
    .slice(1)
    .map((section) => {
      const name = section.slice(0, section.indexOf("`"));
      const flags = [...section.matchAll(/`(--?[a-z][a-z-]*)/gi)].map(([, flag = ""]) => flag);
      return [name, new Set(flags)];
    }),
);

/** Returns what is wrong with a shell block. */
export function problemsOf(code: string): string[] {
  const syntax = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" });
  const problems = syntax.status === 0 ? [] : [syntax.stderr.trim()];
  const plain = code.replaceAll("\\\n", " ").replace(/(^|\s)#.*$/gm, "");
  for (const line of plain.split(/\n|&&|\|\||[|;&]/)) {
    const words = line.trim().split(/\s+/);
    const at = words.indexOf("sandbox-agent");
    const start = words.slice(0, at).every((word) => /^(\w+=.*|\$\(|sudo|npx|exec)$/.test(word));
    if (at >= 0 && start) problems.push(...problemsOfCommand(words.slice(at)));
    if (words[0] === "npm" && words[1] === "run") problems.push(...problemsOfScript(words));
    for (const word of words)
      if (
        /^(examples|packages|packaging|deploy|scripts|crates)\/[\w./-]+$/.test(word) &&
        !existsSync(join(ROOT, word))
      )
        problems.push(`'${word}' does not exist`);
  }
  return problems;
}

/** Returns which commands and flags of `sandbox-agent …` do not exist. */
export function problemsOfCommand(words: string[]): string[] {
  let command = "sandbox-agent";
  let rest = words.slice(1);
  while (rest[0] !== undefined && COMMANDS.has(`${command} ${rest[0]}`)) {
    command = `${command} ${rest[0]}`;
    rest = rest.slice(1);
  }
  if (command === "sandbox-agent" && rest[0] !== undefined && !rest[0].startsWith("-"))
    return [`there is no command 'sandbox-agent ${rest[0]}'`];
  const group = command.split(" ").slice(0, 2).join(" ");
  const known = (flag: string): boolean =>
    ["--help", "--version", "-h", "-V"].includes(flag) ||
    [
      command,
      group,
      "sandbox-agent api",
      ...(command === "sandbox-agent" ? ["sandbox-agent server"] : []),
    ].some((name) => COMMANDS.get(name)?.has(flag));
  const end = rest.indexOf("--");
  const flags = (end < 0 ? rest : rest.slice(0, end))
    .filter((word) => /^--?[a-z]/i.test(word))
    .map((word) => word.split("=")[0] ?? word);
  return flags.filter((flag) => !known(flag)).map((flag) => `'${command}' has no flag ${flag}`);
}

function problemsOfScript(words: string[]): string[] {
  const workspaces = words.filter((_, at) => ["--workspace", "-w"].includes(words[at - 1] ?? ""));
  return workspaces.flatMap((workspace) => {
    const name = workspace.split("/").at(-1) ?? "";
    const paths = ["packages", "apps"].map((folder) => join(ROOT, folder, name, "package.json"));
    const path = paths.find(existsSync);
    if (path === undefined) return [`there is no workspace ${workspace}`];
    const { scripts = {} } = JSON.parse(readFileSync(path, "utf8")) as { scripts?: Record<string, string> };
    return (words[2] ?? "") in scripts ? [] : [`${workspace} has no script ${words[2]}`];
  });
}
