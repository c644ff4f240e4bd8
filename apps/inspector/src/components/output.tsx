// Output of commands with their colors, and JSON.

import { type ReactElement, useState } from "react";
import { ansiRuns } from "../core/ansi.ts";
import { plural } from "../core/format.ts";
import { CodeLines } from "./markdown.tsx";
import { ScrollRegion } from "./scroll-region.tsx";
import "./output.css";

/** Lines that are shown before the reader asks for all. */
const TAIL = 12;

export function Output({ text, command }: { text: string; command?: string | undefined }): ReactElement {
  const [all, setAll] = useState(false);
  const lines = text.replace(/\n+$/, "").split("\n");
  const hidden = all ? 0 : Math.max(0, lines.length - TAIL);
  const shown = hidden === 0 ? lines : lines.slice(-TAIL);
  return (
    <div className="output">
      {command === undefined ? null : <code className="output-command">{command}</code>}
      {hidden === 0 ? null : (
        <button type="button" className="output-more" onClick={() => setAll(true)}>
          Show {plural(hidden, "earlier line")}
        </button>
      )}
      {text === "" ? null : (
        <ScrollRegion className="output-scroll" label="Output">
          <pre>
            {ansiRuns(shown.join("\n")).map((run, index) => (
              <span key={index} className={run.style}>
                {run.text}
              </span>
            ))}
          </pre>
        </ScrollRegion>
      )}
    </div>
  );
}

export function Json({ value }: { value: unknown }): ReactElement {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <div className="output">
      <ScrollRegion className="output-scroll" label="JSON">
        <pre className="json">
          <CodeLines text={text ?? "null"} language="json" />
        </pre>
      </ScrollRegion>
    </div>
  );
}
