// The changes of a session: the diffs of its tool calls, joined per file from the first old text to the last new one.

import type { DiffContent } from "sandbox-agent";
import { diffsOf, type Transcript } from "sandbox-agent/transcript";
import { countChanges, type DiffLine, diffLines } from "./diff.ts";

export interface FileChange {
  readonly path: string;
  readonly kind: "created" | "modified" | "deleted";
  readonly oldText: string;
  readonly newText: string;
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
  /** Calls that changed the file. */
  readonly edits: number;
}

/** A stretch of one file. Agents send whole files or only the place that they edit. */
interface Stretch {
  oldText: string;
  newText: string;
  created: boolean;
  edits: number;
}

/** Returns the changes of all completed calls, by path. */
export function sessionChanges(transcript: Transcript): FileChange[] {
  const files = new Map<string, Stretch[]>();
  for (const { path, oldText, newText } of diffsIn(transcript)) join(files, path, oldText, newText);
  const changes = [...files].map(([path, stretches]) => changeOf(path, stretches));
  return changes
    .filter((change) => change.added + change.removed > 0)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function diffsIn(transcript: Transcript): DiffContent[] {
  const items = transcript.items.toArray().filter((item) => item.kind === "assistant");
  const tools = items.flatMap((item) => item.parts.filter((part) => part.type === "tool"));
  return tools
    .filter((tool) => tool.status === "completed" && !tool.isError)
    .flatMap((tool) => [...diffsOf(tool)]);
}

/** An edit that starts where an earlier one ended continues it; any other stands for itself. */
function join(
  files: Map<string, Stretch[]>,
  path: string,
  oldText: string | null | undefined,
  newText: string,
): void {
  const stretches = files.get(path) ?? [];
  files.set(path, stretches);
  const created = oldText === undefined || oldText === null;
  const old = oldText ?? "";
  const before = stretches.find(
    (stretch) => stretch.newText === old || (old !== "" && stretch.newText.includes(old)),
  );
  if (before === undefined) stretches.push({ oldText: old, newText, created, edits: 1 });
  else {
    before.newText = before.newText === old ? newText : before.newText.replace(old, () => newText);
    before.edits += 1;
  }
}

function changeOf(path: string, stretches: readonly Stretch[]): FileChange {
  const oldText = stretches.map((stretch) => stretch.oldText).join("\n");
  const newText = stretches.map((stretch) => stretch.newText).join("\n");
  const lines = stretches.flatMap((stretch) => diffLines(stretch.oldText, stretch.newText));
  const created = stretches.length === 1 && stretches[0]?.created === true;
  const kind = created ? "created" : newText === "" ? "deleted" : "modified";
  const edits = stretches.reduce((sum, stretch) => sum + stretch.edits, 0);
  return { path, kind, oldText, newText, lines, ...countChanges(lines), edits };
}
