// Terminal output as styled text: SGR colors are kept, other control sequences are removed.

export interface AnsiRun {
  readonly text: string;
  /** Class names of the styles, such as `ansi-red ansi-bold`. */
  readonly style: string;
}

interface Style {
  color: string | undefined;
  bold: boolean;
  dim: boolean;
}

const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const ESCAPE = String.fromCharCode(27);
const SEQUENCE = new RegExp(
  `${ESCAPE}\\[([0-9;:]*)m|${ESCAPE}\\[[0-?]*[ -/]*[@-~]|${ESCAPE}\\][^${String.fromCharCode(7)}${ESCAPE}]*(?:${String.fromCharCode(7)}|${ESCAPE}\\\\)|${ESCAPE}[@-Z\\\\-_]`,
  "g",
);

/** Splits output into runs of one style. */
export function ansiRuns(output: string): AnsiRun[] {
  const text = overwrite(output);
  const style: Style = { color: undefined, bold: false, dim: false };
  const runs: AnsiRun[] = [];
  let from = 0;
  for (const match of text.matchAll(SEQUENCE)) {
    push(runs, text.slice(from, match.index), style);
    if (match[1] !== undefined) apply(style, match[1]);
    from = match.index + match[0].length;
  }
  push(runs, text.slice(from), style);
  return runs;
}

/** A carriage return starts the line again, as progress bars do. */
function overwrite(output: string): string {
  const text = output.replaceAll("\r\n", "\n");
  if (!text.includes("\r")) return text;
  return text
    .split("\n")
    .map((line) => line.split("\r").findLast((piece) => piece !== "") ?? "")
    .join("\n");
}

function push(runs: AnsiRun[], text: string, style: Style): void {
  if (text === "") return;
  const names = [style.color === undefined ? "" : `ansi-${style.color}`];
  if (style.bold) names.push("ansi-bold");
  if (style.dim) names.push("ansi-dim");
  runs.push({ text, style: names.filter((name) => name !== "").join(" ") });
}

function apply(style: Style, codes: string): void {
  const list = codes === "" ? [0] : codes.split(/[;:]/).map(Number);
  for (let index = 0; index < list.length; index += 1) {
    const code = list[index] ?? 0;
    // 256 colors and RGB have no place in a theme of eight; their arguments are skipped.
    if (code === 38 || code === 48) index += list[index + 1] === 5 ? 2 : 4;
    else applyOne(style, code);
  }
}

function applyOne(style: Style, code: number): void {
  if (code === 0) Object.assign(style, { color: undefined, bold: false, dim: false });
  else if (code === 1) style.bold = true;
  else if (code === 2) style.dim = true;
  else if (code === 22) Object.assign(style, { bold: false, dim: false });
  else if (code >= 30 && code <= 37) style.color = COLORS[code - 30];
  else if (code === 39) style.color = undefined;
  else if (code >= 90 && code <= 97) style.color = COLORS[code - 90];
}
