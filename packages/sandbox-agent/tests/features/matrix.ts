// The compatibility matrix, docs/compatibility.md, which the tests must agree with.

import { readFileSync } from "node:fs";
import type { AgentId } from "./script.ts";

const LABELS: Record<AgentId, string> = {
  demo: "Demo",
  claude: "Claude Code (newest)",
  codex: "Codex (newest)",
  opencode: "OpenCode (newest)",
};

/** Returns the titles of all rows. */
export function rows(): string[] {
  return table(page())
    .map(([title]) => title ?? "")
    .filter((title) => title !== "feature" && !/^-*$/.test(title));
}

/** Returns whether an agent can do something, by the title of its row: true, or why not. */
export function matrix(agent: AgentId): Map<string, true | string> {
  const text = page();
  const reasons = new Map(
    [...text.matchAll(/^(\d+)\. (.+)$/gm)].map(([, number, why]) => [number, why ?? ""]),
  );
  const cells = table(text);
  const column = cells[0]?.indexOf(LABELS[agent]) ?? -1;
  const marks = cells.map((row) => [row[0] ?? "", row[column] ?? ""] as const);
  const known = marks.flatMap(([title, mark]): [string, true | string][] => {
    if (mark === "✓") return [[title, true]];
    const why = reasons.get(/^\((\d+)\)$/.exec(mark)?.[1]);
    return why === undefined ? [] : [[title, why]];
  });
  return new Map(known);
}

function page(): string {
  return readFileSync(new URL("../../../../docs/compatibility.md", import.meta.url), "utf8");
}

/** Returns the cells of all tables by row. */
function table(text: string): string[][] {
  const lines = text.split("\n").filter((line) => line.startsWith("|"));
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
