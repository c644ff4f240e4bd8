// A realistic conversation, for pictures: a failing test is found, fixed and checked.

import { readFileSync } from "node:fs";
import { asked, called, type EventData, ended, said } from "./recorded.ts";

/** The file that the demo agent's tour repairs. */
const OLD = readFileSync(new URL("../../../crates/sa-demo/src/tour/retry.ts", import.meta.url), "utf8");

const NEW = OLD.replace(
  "  baseMs: number;\n",
  "  baseMs: number;\n  /** Longest wait. Defaults to 30 s. */\n  maxMs?: number;\n",
)
  .replace("{ baseMs }: RetryOptions", "{ baseMs, maxMs = 30_000 }: RetryOptions")
  .replace("return baseMs * attempt;", "return Math.min(maxMs, baseMs * 2 ** (attempt - 1));");

const HITS = [
  "src/retry.ts:10:  return baseMs * attempt;",
  "src/retry.ts:19:      await sleep(delayOf(attempt, options));",
  "test/retry.test.ts:14:  expect(delayOf(4, { attempts: 5, baseMs: 100 })).toBe(800);",
].join("\n");

const FAILED =
  "\u001b[31m FAIL \u001b[39m test/retry.test.ts > delays double after each failure\n\u001b[31mAssertionError: expected 400 to be 800\u001b[39m\n\n Tests  \u001b[31m1 failed\u001b[39m | \u001b[32m41 passed\u001b[39m (42)\n";
const PASSED =
  "\u001b[32m ✓ \u001b[39m test/retry.test.ts (6 tests) 12ms\n\n Test Files  \u001b[32m9 passed\u001b[39m (9)\n      Tests  \u001b[32m42 passed\u001b[39m (42)\n";

const ANSWER = `The test was right and the code was not: the delay grew **linearly** instead of doubling.

| attempt | before | now |
|---|---|---|
| 1 | 100 ms | 100 ms |
| 4 | 400 ms | 800 ms |
| 12 | 1.2 s | 30 s (capped) |

Two things to know:

- \`maxMs\` is new and optional, so no caller has to change.
- The cap keeps a long outage from turning into hour-long waits.

\`\`\`ts
await withRetry(() => fetch(url), { attempts: 8, baseMs: 100, maxMs: 5_000 });
\`\`\`
`;

/** Events of the conversation in a directory. */
export function story(cwd: string): EventData[] {
  const turn = "turn-1";
  const path = (name: string): string => `${cwd}/${name}`;
  const read = (id: string, name: string): EventData =>
    called(
      id,
      turn,
      { name: "Read", title: `Read ${name}`, kind: "read", input: { file_path: path(name) } },
      [],
    );
  return [
    { infoChanged: { title: "Fix the failing retry test" } } as EventData,
    ...asked(
      "user-1",
      turn,
      "The retry test fails since this morning. Find out why, fix it, and run the tests.",
    ),
    said("m1", turn, [
      { type: "reasoning", text: "The delay is probably linear. Look at the code and at the test first." },
    ]),
    { plan: { entries: plan("inProgress", "pending", "pending") } } as EventData,
    read("r1", "src/retry.ts"),
    read("r2", "test/retry.test.ts"),
    called(
      "s1",
      turn,
      { name: "Grep", title: "Search delayOf", kind: "search", input: { pattern: "delayOf", path: cwd } },
      [{ type: "text", text: HITS }],
    ),
    called(
      "x1",
      turn,
      {
        name: "Bash",
        title: "npm test",
        kind: "execute",
        status: "failed",
        input: { command: "npm test -- retry" },
      },
      [{ type: "text", text: FAILED }],
    ),
    said("m2", turn, [
      {
        type: "text",
        text: "`delayOf` multiplies by the attempt, but the test expects the delay to **double**. I will change that and cap it.",
      },
    ]),
    { plan: { entries: plan("completed", "inProgress", "pending") } } as EventData,
    called(
      "e1",
      turn,
      { name: "Edit", title: "Edit src/retry.ts", kind: "edit", input: { file_path: path("src/retry.ts") } },
      [{ type: "diff", path: path("src/retry.ts"), oldText: OLD, newText: NEW }],
    ),
    called("x2", turn, { name: "Bash", title: "npm test", kind: "execute", input: { command: "npm test" } }, [
      { type: "text", text: PASSED },
    ]),
    { plan: { entries: plan("completed", "completed", "completed") } } as EventData,
    said("m3", turn, [{ type: "text", text: ANSWER }]),
    {
      usage: { contextUsed: 21_400, contextSize: 200_000, cost: { amount: 0.14, currency: "USD" } },
    } as EventData,
    ended(turn, { inputTokens: 20_100, outputTokens: 1_300, totalTokens: 21_400 }),
  ];
}

function plan(...statuses: string[]): never {
  const steps = ["Find out why the test fails", "Fix the delay", "Run all tests"];
  return steps.map((content, index) => ({ content, status: statuses[index], priority: "medium" })) as never;
}
