// The compatibility matrix, docs/compatibility.md, which the tests must agree with.

import { readFileSync } from "node:fs";
import type { AgentId } from "./script.ts";

const LABELS: Record<AgentId, string> = {
  demo: "Demo",
  claude: "Claude Code (newest)",
  codex: "Codex (newest)",
  opencode: "OpenCode (newest)",
};

/** Returns whether an agent can do something, by the title of its row: true, or why not. */
export function matrix(agent: AgentId): Map<string, true | string> {
  const page = readFileSync(new URL("../../../../docs/compatibility.md", import.meta.url), "utf8");
  const reasons = new Map(
    [...page.matchAll(/^(\d+)\. (.+)$/gm)].map(([, number, why]) => [number, why ?? ""]),
  );
  const rows = page.split("\n").filter((line) => line.startsWith("|"));
  const cells = rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const column = cells[0]?.indexOf(LABELS[agent]) ?? -1;
  const marks = cells.map((row) => [row[0] ?? "", row[column] ?? ""] as const);
  const known = marks.flatMap(([title, mark]): [string, true | string][] => {
    if (mark === "✓") return [[title, true]];
    const why = reasons.get(/^\((\d+)\)$/.exec(mark)?.[1]);
    return why === undefined ? [] : [[title, why]];
  });
  return new Map(known);
}
