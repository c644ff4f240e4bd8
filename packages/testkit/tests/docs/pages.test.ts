// Every fenced block of the documentation has a rule and passes it, and every relative link leads somewhere.
// TypeScript is tested in typescript.test.ts.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "@sandbox-agent/testkit";
import { afterAll, describe, expect, test } from "vitest";
import { problemsOf, problemsOfCommand } from "./commands.ts";
import { brokenLinks } from "./links.ts";
import { type Block, blocks, pages, ROOT, read } from "./pages.ts";
import { misfit, runShell } from "./shell.ts";

const PAGES = pages();
const folder = mkdtempSync(join(tmpdir(), "sa-docs-"));
afterAll(() => rmSync(folder, { recursive: true }));

const isRun = ({ language, rule }: Block): boolean =>
  ["python", "sh"].includes(language) && ["run", "background", "serve", "retry", "fails"].includes(rule.kind);

test("every block has a rule", () => {
  const problems = PAGES.flatMap((page) => {
    try {
      blocks(page);
      return [];
    } catch (error) {
      return [String(error)];
    }
  });
  expect(problems).toEqual([]);
});

test("no page has a conflict left from a merge", () => {
  expect(PAGES.filter((page) => /^(<{7} |>{7} |={7}$)/m.test(read(page)))).toEqual([]);
});

test("every relative link leads to a file and a heading", () => {
  expect(PAGES.flatMap(brokenLinks)).toEqual([]);
});

describe("the shell examples run", () => {
  const runnable = PAGES.filter((page) => blocksOf(page).some(isRun));
  test.concurrent.for(runnable)("%s", { timeout: 60_000 }, async (page, { expect }) => {
    const all = blocksOf(page);
    const outputs = await runShell(page, all.filter(isRun));
    let previous = "";
    for (const block of all) {
      previous = outputs.get(block.line) ?? previous;
      if (block.rule.kind !== "output") continue;
      expect(misfit(block.text, previous), `${page}:${block.line}`).toBeUndefined();
    }
  });
});

test("shell examples that cannot run have commands and flags that exist", () => {
  const checked = PAGES.flatMap(blocksOf).filter(({ rule }) => rule.kind === "check");
  const problems = checked.flatMap(({ page, line, text }) =>
    problemsOf(text).map((problem) => `${page}:${line}: ${problem}`),
  );
  expect(problems).toEqual([]);
  expect(checked.length).toBeGreaterThan(5);
});

test("commands in running text exist", () => {
  const problems = PAGES.filter((page) => page !== "docs/cli.md").flatMap((page) =>
    [...read(page).matchAll(/`(sandbox-agent(?: [^`\n]+)?)`/g)].flatMap(([, command = ""]) =>
      problemsOfCommand(command.replace(/ [<[{(…|].*$/, "").split(/\s+/)).map(
        (problem) => `${page}: ${command}: ${problem}`,
      ),
    ),
  );
  expect(problems).toEqual([]);
});

test("examples of JSON can be parsed", () => {
  const problems = PAGES.flatMap(blocksOf)
    .filter(({ rule }) => rule.kind === "json")
    .flatMap(({ page, line, text }) => {
      try {
        JSON.parse(complete(text));
        return [];
      } catch (error) {
        return [`${page}:${line}: ${error}`];
      }
    });
  expect(problems).toEqual([]);
});

/** Replaces `…`, which stands for members and elements that are left out. */
function complete(text: string): string {
  return text
    .replace(/"(?:[^"\\\n]|\\.)*"/g, (string) => string.replaceAll("…", ""))
    .replace(/([[{])\s*…/g, "$1")
    .replace(/,\s*…/g, "");
}

test("examples of TOML are accepted by the daemon", () => {
  writeFileSync(join(folder, "token"), "secret\n", { mode: 0o600 });
  const problems = PAGES.flatMap(blocksOf)
    .filter(({ rule }) => rule.kind === "toml")
    .flatMap(({ page, line, text }) => {
      const path = join(folder, "config.toml");
      writeFileSync(path, text);
      // The log is set up once all settings are read, so its mistake is reported if there is no other.
      const { stderr } = spawnSync(binary, ["server", "--log", "==", "--config", path], {
        encoding: "utf8",
        env: { HOME: folder, PATH: process.env["PATH"] },
      });
      return stderr.startsWith("error: invalid log filter '=='") ? [] : [`${page}:${line}: ${stderr}`];
    });
  expect(problems).toEqual([]);
});

test("the excerpt of the compatibility matrix agrees with it", () => {
  const columns = ["Claude Code (newest)", "Codex (newest)", "OpenCode (newest)", "Amp 2026-04-27"];
  const full = read("docs/compatibility.md").split("\n").map(cells);
  const head = full.find(([first]) => first === "feature") ?? [];
  const marks = new Map(full.map((row) => [row[0], columns.map((name) => row[head.indexOf(name)])]));
  const [, excerpt = ""] = read("README.md").split("<!-- checked: matrix -->\n");
  const rows = excerpt.split("\n\n", 1)[0]?.split("\n").slice(2).map(cells) ?? [];
  expect(rows.length).toBeGreaterThan(8);
  for (const [title = "", ...row] of rows)
    expect(row, title).toEqual(marks.get(title)?.map((mark) => (mark === "✓" ? "✓" : "no")));
});

test("the modes in the concepts agree with the page on modes", () => {
  const [, table = ""] = read("docs/concepts.md").split("| agent | `build`");
  const rows = table.split("\n\n", 1)[0]?.split("\n").slice(2).map(cells) ?? [];
  expect(rows.length).toBe(5);
  for (const [agent = "", ...native] of rows) {
    const [, section = ""] = read("docs/modes.md").split(`### ${agent === "demo" ? "Demo agent" : agent}\n`);
    const modes = (mode: string): string[] =>
      cells(section.split("\n").find((line) => line.startsWith(`| \`${mode}\` |`)) ?? "")
        .slice(1)
        .map((cell) => cell.split(":")[0] ?? "");
    expect(native, agent).toEqual([...modes("build"), modes("plan")[0]]);
    expect(new Set(modes("plan")).size, agent).toBe(1);
  }
});

function cells(row: string): string[] {
  return row
    .split("|")
    .slice(1, -1)
    .map((text) => text.trim());
}

test("tests elsewhere exist and name the page", () => {
  const problems = PAGES.flatMap(blocksOf).flatMap(({ page, line, rule }) => {
    if (rule.kind !== "elsewhere") return [];
    const path = join(ROOT, rule.path);
    const isNamed = existsSync(path) && readFileSync(path, "utf8").includes(page);
    return isNamed ? [] : [`${page}:${line}: ${rule.path} does not name the page`];
  });
  expect(problems).toEqual([]);
});

/** Returns the blocks of a page, or none if one of them has no rule: that is another test's failure. */
function blocksOf(page: string): Block[] {
  try {
    return blocks(page);
  } catch {
    return [];
  }
}
