// Line and word differences of two texts: the shortest edit script (Myers), bounded so that no input is slow.

export type Change = "same" | "add" | "remove";

export interface DiffLine {
  readonly change: Change;
  readonly text: string;
  /** Number of the line in the old text, from 1. */
  readonly old: number | undefined;
  /** Number of the line in the new text, from 1. */
  readonly new: number | undefined;
  /** Parts of the line that differ from its counterpart, if there is one. */
  readonly words?: readonly WordRun[];
}

export interface WordRun {
  readonly changed: boolean;
  readonly text: string;
}

/** A run of lines to show, or a run of equal lines that is folded away. */
export type Hunk =
  | { readonly type: "lines"; readonly lines: readonly DiffLine[] }
  | { readonly type: "folded"; readonly lines: readonly DiffLine[] };

/** Largest number of edits that is searched for. Beyond it, the middle is shown as replaced. */
const MAX_EDITS = 2_000;
/** Equal lines that are shown around a change. */
const CONTEXT = 3;

/** Splits a text into lines. A final line feed does not begin another line. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Returns all lines of two texts in order, each as same, added or removed. */
export function diffLines(oldText: string, newText: string): DiffLine[] {
  const [a, b] = [linesOf(oldText), linesOf(newText)];
  const changes = edits(a, b);
  const result: DiffLine[] = [];
  let [i, j] = [0, 0];
  for (const change of changes) {
    if (change === "same") result.push({ change, text: b[j] ?? "", old: ++i, new: ++j });
    else if (change === "remove") result.push({ change, text: a[i] ?? "", old: ++i, new: undefined });
    else result.push({ change, text: b[j] ?? "", old: undefined, new: ++j });
  }
  return withWords(result);
}

/** Counts the lines that were added and removed. */
export function countChanges(lines: readonly DiffLine[]): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const line of lines) {
    if (line.change === "add") added += 1;
    else if (line.change === "remove") removed += 1;
  }
  return { added, removed };
}

/** Folds long runs of equal lines away. */
export function hunksOf(lines: readonly DiffLine[]): Hunk[] {
  const near = new Array<boolean>(lines.length).fill(false);
  lines.forEach((line, index) => {
    if (line.change === "same") return;
    near.fill(true, Math.max(0, index - CONTEXT), Math.min(lines.length, index + CONTEXT + 1));
  });
  const hunks: Hunk[] = [];
  for (let from = 0; from < lines.length; ) {
    let to = from;
    while (to < lines.length && near[to] === near[from]) to += 1;
    const run = lines.slice(from, to);
    // A fold of one line would take as much room as the line.
    hunks.push({ type: near[from] === true || run.length === 1 ? "lines" : "folded", lines: run });
    from = to;
  }
  return hunks;
}

function edits(a: readonly string[], b: readonly string[]): Change[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const middle = shortest(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (length: number): Change[] => new Array<Change>(length).fill("same");
  return [...same(start), ...middle, ...same(end)];
}

/** Myers' greedy algorithm. `trace` keeps the furthest points of each round to walk back along. */
function shortest(a: readonly string[], b: readonly string[]): Change[] {
  const [n, m] = [a.length, b.length];
  const limit = Math.min(n + m, MAX_EDITS);
  const trace: Map<number, number>[] = [];
  let ends = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= limit; d += 1) {
    trace.push(ends);
    const next = new Map(ends);
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (ends.get(k - 1) ?? -1) < (ends.get(k + 1) ?? -1));
      let x = down ? (ends.get(k + 1) ?? 0) : (ends.get(k - 1) ?? 0) + 1;
      while (x < n && x - k < m && a[x] === b[x - k]) x += 1;
      next.set(k, x);
      if (x >= n && x - k >= m) return walkBack(trace, n, m);
    }
    ends = next;
  }
  return [...new Array<Change>(n).fill("remove"), ...new Array<Change>(m).fill("add")];
}

function walkBack(trace: readonly Map<number, number>[], n: number, m: number): Change[] {
  const changes: Change[] = [];
  let [x, y] = [n, m];
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const ends = trace[d] ?? new Map<number, number>();
    const k = x - y;
    const down = k === -d || (k !== d && (ends.get(k - 1) ?? -1) < (ends.get(k + 1) ?? -1));
    const from = down ? (ends.get(k + 1) ?? 0) : (ends.get(k - 1) ?? 0);
    const fromY = from - (down ? k + 1 : k - 1);
    while (x > from + (down ? 0 : 1) && y > fromY + (down ? 1 : 0)) {
      changes.push("same");
      x -= 1;
      y -= 1;
    }
    if (d > 0) changes.push(down ? "add" : "remove");
    [x, y] = [from, fromY];
  }
  return changes.reverse();
}

/** Marks the words that changed where as many lines were added as removed. */
function withWords(lines: readonly DiffLine[]): DiffLine[] {
  const result = [...lines];
  for (let from = 0; from < lines.length; from += 1) {
    if (lines[from]?.change !== "remove") continue;
    let removes = from;
    while (lines[removes]?.change === "remove") removes += 1;
    let adds = removes;
    while (lines[adds]?.change === "add") adds += 1;
    if (adds - removes === removes - from) pairWords(result, from, removes);
    from = Math.max(from, adds - 1);
  }
  return result;
}

function pairWords(lines: DiffLine[], from: number, to: number): void {
  for (let index = from; index < to; index += 1) {
    const [before, after] = [lines[index], lines[index + to - from]];
    if (before === undefined || after === undefined) continue;
    const pair = wordRuns(before.text, after.text);
    if (pair === undefined) continue;
    lines[index] = { ...before, words: pair.before };
    lines[index + to - from] = { ...after, words: pair.after };
  }
}

/** Undefined if the lines have too little in common for marks to help. */
function wordRuns(before: string, after: string): { before: WordRun[]; after: WordRun[] } | undefined {
  if (before.length + after.length > 2_000) return undefined;
  const [a, b] = [wordsOf(before), wordsOf(after)];
  const runs = { before: [] as WordRun[], after: [] as WordRun[] };
  let [i, j, shared] = [0, 0, 0];
  for (const change of edits(a, b)) {
    if (change !== "add") append(runs.before, change !== "same", a[i] ?? "");
    if (change !== "remove") append(runs.after, change !== "same", b[j] ?? "");
    if (change === "same") shared += (a[i] ?? "").trim().length;
    if (change !== "add") i += 1;
    if (change !== "remove") j += 1;
  }
  return shared * 3 >= Math.max(before.trim().length, after.trim().length) ? runs : undefined;
}

function append(runs: WordRun[], changed: boolean, text: string): void {
  const last = runs.at(-1);
  if (last?.changed === changed) runs[runs.length - 1] = { changed, text: last.text + text };
  else runs.push({ changed, text });
}

function wordsOf(line: string): string[] {
  return line.match(/\w+|\s+|[^\w\s]/g) ?? [];
}
