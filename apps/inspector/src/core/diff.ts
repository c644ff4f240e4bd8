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
const MAX_EDITS = 800;
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

/** Furthest points of one round of Myers' algorithm, by diagonal. */
type Ends = ReadonlyMap<number, number>;

/** Returns the point from which a round reaches a diagonal: down from the one above, or right from the one below. */
function stepTo(ends: Ends, k: number, d: number): { down: boolean; from: number } {
  const [below, above] = [ends.get(k - 1) ?? -1, ends.get(k + 1) ?? -1];
  const down = k === -d || (k !== d && below < above);
  return { down, from: Math.max(0, down ? above : below) };
}

/** Myers' greedy algorithm. `trace` keeps the furthest points of each round to walk back along. */
function shortest(a: readonly string[], b: readonly string[]): Change[] {
  const trace: Ends[] = [];
  let ends: Ends = new Map([[1, 0]]);
  for (let d = 0; d <= Math.min(a.length + b.length, MAX_EDITS); d += 1) {
    trace.push(ends);
    const next = round(a, b, ends, d);
    if ((next.get(a.length - b.length) ?? -1) >= a.length) return walkBack(trace, a.length, b.length);
    ends = next;
  }
  return [...new Array<Change>(a.length).fill("remove"), ...new Array<Change>(b.length).fill("add")];
}

function round(a: readonly string[], b: readonly string[], ends: Ends, d: number): Ends {
  const next = new Map(ends);
  for (let k = -d; k <= d; k += 2) {
    const { down, from } = stepTo(ends, k, d);
    let x = down ? from : from + 1;
    while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
    next.set(k, x);
  }
  return next;
}

function walkBack(trace: readonly Ends[], n: number, m: number): Change[] {
  const changes: Change[] = [];
  let [x, y] = [n, m];
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const { down, from } = stepTo(trace[d] ?? new Map(), x - y, d);
    const fromY = from - (x - y + (down ? 1 : -1));
    const [startX, startY] = down ? [from, fromY + 1] : [from + 1, fromY];
    for (; x > startX && y > startY; x -= 1, y -= 1) changes.push("same");
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
  const changes = edits(wordsOf(before), wordsOf(after));
  const runs = {
    before: runsOf(wordsOf(before), changes, "add"),
    after: runsOf(wordsOf(after), changes, "remove"),
  };
  const shared = runs.after.reduce((sum, run) => sum + (run.changed ? 0 : run.text.trim().length), 0);
  return shared * 3 >= Math.max(before.trim().length, after.trim().length) ? runs : undefined;
}

/** Joins the words of one side; changes of the other side are left out. */
function runsOf(words: readonly string[], changes: readonly Change[], other: Change): WordRun[] {
  const runs: WordRun[] = [];
  const own = changes.filter((change) => change !== other);
  for (const [index, word] of words.entries()) append(runs, own[index] !== "same", word);
  return runs;
}

function append(runs: WordRun[], changed: boolean, text: string): void {
  const last = runs.at(-1);
  if (last?.changed === changed) runs[runs.length - 1] = { changed, text: last.text + text };
  else runs.push({ changed, text });
}

function wordsOf(line: string): string[] {
  return line.match(/\w+|\s+|[^\w\s]/g) ?? [];
}
