// A unified diff with word marks, syntax colors and folded context.

import { memo, type ReactElement, useMemo, useState } from "react";
import { countChanges, type DiffLine, diffLines, type Hunk, hunksOf } from "../core/diff.ts";
import { plural, shortPath } from "../core/format.ts";
import { languageOf } from "../core/highlight.ts";
import { CopyButton } from "./controls.tsx";
import { Counts } from "./counts.tsx";
import { CodeLine } from "./markdown.tsx";
import { ScrollRegion } from "./scroll-region.tsx";
import "./diff-view.css";

interface DiffViewProps {
  path: string;
  oldText: string;
  newText: string;
  cwd?: string | undefined;
  /** Lines that were computed before, to save the work. */
  lines?: readonly DiffLine[];
}

export const DiffView = memo(function DiffView(props: DiffViewProps): ReactElement {
  const { path, oldText, newText, cwd } = props;
  const lines = useMemo(() => props.lines ?? diffLines(oldText, newText), [props.lines, oldText, newText]);
  const hunks = useMemo(() => hunksOf(lines), [lines]);
  return (
    <div className="diff">
      <div className="diff-bar">
        <code className="truncate" title={path}>
          {shortPath(path, cwd)}
        </code>
        <Counts {...countChanges(lines)} />
        <CopyButton text={() => newText} label="Copy new text" />
      </div>
      <ScrollRegion className="diff-lines" label={`Changes of ${shortPath(path, cwd)}`}>
        <div className="diff-table">
          {hunks.map((hunk, index) => (
            <HunkView key={index} hunk={hunk} language={languageOf(path)} />
          ))}
        </div>
      </ScrollRegion>
    </div>
  );
});

function HunkView({ hunk, language }: { hunk: Hunk; language: string }): ReactElement {
  const [open, setOpen] = useState(hunk.type === "lines");
  if (!open) {
    return (
      <button type="button" className="diff-fold" onClick={() => setOpen(true)}>
        {plural(hunk.lines.length, "unchanged line")}
      </button>
    );
  }
  return (
    <>
      {hunk.lines.map((line) => (
        <Line key={`${line.old ?? ""}:${line.new ?? ""}`} line={line} language={language} />
      ))}
    </>
  );
}

const SIGNS = { add: "+", remove: "−", same: " " } as const;

function Line({ line, language }: { line: DiffLine; language: string }): ReactElement {
  return (
    <div className={`diff-line diff-${line.change}`}>
      <span className="diff-number">{line.old}</span>
      <span className="diff-number">{line.new}</span>
      <span className="diff-sign">{SIGNS[line.change]}</span>
      <span className="diff-text">
        {line.words === undefined ? (
          <CodeLine text={line.text} language={language} />
        ) : (
          line.words.map((run, index) => {
            const Run = run.changed ? "mark" : "span";
            return (
              <Run key={index}>
                <CodeLine text={run.text} language={language} />
              </Run>
            );
          })
        )}
      </span>
    </div>
  );
}
