// The parts without React: differences, output, tool summaries, addresses.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ansiRuns } from "../src/core/ansi.ts";
import { answerOf, firstDraft, problemOf } from "../src/core/answers.ts";
import { countChanges, diffLines, hunksOf } from "../src/core/diff.ts";
import { fuzzyFilter } from "../src/core/fuzzy.ts";
import { highlight } from "../src/core/highlight.ts";
import { formatRoute, parseRoute, type Route } from "../src/core/routes.ts";
import { curl } from "../src/core/snippets.ts";
import { commandOf, searchHits, summarize } from "../src/core/tool-view.ts";

describe("differences", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "", "  d"), { maxLength: 40 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));

  test("removed and equal lines are the old text, added and equal ones the new text", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        const join = (other: string) =>
          lines
            .filter(({ change }) => change !== other)
            .map((line) => `${line.text}\n`)
            .join("");
        expect(join("add")).toBe(before);
        expect(join("remove")).toBe(after);
        expect(hunksOf(lines).flatMap((hunk) => hunk.lines)).toEqual(lines);
      }),
    );
  });

  test("equal texts have no change, and one changed word is marked", () => {
    expect(countChanges(diffLines("a\nb\n", "a\nb\n"))).toEqual({ added: 0, removed: 0 });
    const [before, after] = diffLines("const delay = 10;\n", "const delay = 20;\n");
    expect(before?.words?.filter((run) => run.changed)).toEqual([{ changed: true, text: "10" }]);
    expect(after?.words?.filter((run) => run.changed)).toEqual([{ changed: true, text: "20" }]);
  });

  test("two large texts that share nothing are compared at once", () => {
    const large = (word: string) => Array.from({ length: 20_000 }, (_, line) => `${word} ${line}`).join("\n");
    const from = process.cpuUsage();
    expect(countChanges(diffLines(large("old"), large("new")))).toEqual({ added: 20_000, removed: 20_000 });
    expect(process.cpuUsage(from).user / 1_000).toBeLessThan(5_000);
  });
});

test("colors of terminals are kept, other sequences are removed, and a carriage return starts the line again", () => {
  expect(ansiRuns("\u001b[31mred\u001b[0m plain\u001b[2K")).toEqual([
    { text: "red", style: "ansi-red" },
    { text: " plain", style: "" },
  ]);
  expect(ansiRuns("10 %\r100 %\n")).toEqual([{ text: "100 %\n", style: "" }]);
  expect(ansiRuns("\u001b[38;5;208morange")).toEqual([{ text: "orange", style: "" }]);
});

test("no character is lost or changed by syntax colors", () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("ts", "py", "sql", "json", ""), (line, language) => {
      expect(
        highlight(line, language)
          .map((token) => token.text)
          .join(""),
      ).toBe(line);
    }),
  );
  expect(highlight('x = "a # b" # comment', "py").at(-1)).toEqual({ kind: "comment", text: "# comment" });
});

test("commands are read however agents spell them", () => {
  expect(commandOf({ command: "npm test" })).toBe("npm test");
  expect(commandOf({ command: ["bash", "-lc", "git status"] })).toBe("git status");
  expect(commandOf({ cmd: ["ls", "-l"] })).toBe("ls -l");
  expect(commandOf("npm test")).toBeUndefined();
});

test("a call reads as a verb and what it is about, relative to the session's directory", () => {
  const call = { title: "", name: "Edit", locations: [] };
  expect(summarize({ ...call, kind: "edit", input: { file_path: "/w/src/a.ts" } }, "/w")).toEqual({
    verb: "Edit",
    target: "src/a.ts",
    code: true,
  });
  expect(summarize({ ...call, kind: "other", title: "Ask the oracle" }, "/w").verb).toBe("Ask the oracle");
});

test("hits of a search are recognized, other output is not", () => {
  expect(searchHits("src/a.ts:3:const x = 1\nsrc/b.ts:9:x\n")).toEqual([
    { path: "src/a.ts", line: 3, text: "const x = 1" },
    { path: "src/b.ts", line: 9, text: "x" },
  ]);
  expect(searchHits("nothing was found here\nat all\n")).toBeUndefined();
});

test("every address leads back to its route", () => {
  const routes: Route[] = [
    { screen: "home" },
    { screen: "session", id: "a:b@c", panel: "events" },
    { screen: "files", path: "/a b/ü.txt" },
    { screen: "terminals" },
    { screen: "settings" },
  ];
  for (const route of routes) expect(parseRoute(formatRoute(route))).toEqual(route);
  expect(parseRoute("#/nowhere/at/all")).toEqual({ screen: "home" });
  expect(parseRoute("#/sessions/%E0%A4%A")).toMatchObject({ screen: "session" });
});

test("answers are checked as the daemon checks them", () => {
  const question = {
    question: "How many?",
    kind: "integer",
    multiSelect: false,
    custom: false,
    required: true,
    minimum: 1,
    maximum: 9,
  } as const;
  expect(problemOf(question, answerOf(question, firstDraft(question)))).toBe("An answer is required.");
  expect(problemOf(question, ["1.5"])).toBe("Enter a whole number.");
  expect(problemOf(question, ["10"])).toBe("At most 9.");
  expect(problemOf(question, ["7"])).toBeUndefined();
});

test("the best match comes first", () => {
  const names = ["src/components/diff-view.tsx", "src/core/diff.ts", "README.md"];
  expect(fuzzyFilter("diff.ts", names, (name) => name)[0]).toBe("src/core/diff.ts");
  expect(fuzzyFilter("zzz", names, (name) => name)).toEqual([]);
});

test("a curl command quotes its body and never holds the token", () => {
  const command = curl({ baseUrl: "http://127.0.0.1:1", token: "s3cret" }, "/v1/x", { message: "it's" });
  expect(command).not.toContain("s3cret");
  expect(command).toContain(`'{"message":"it'\\''s"}'`);
});
