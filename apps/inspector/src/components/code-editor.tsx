// A plain text field over the same text in colors, so that the browser's own editing, undo and search work.

import { type ReactElement, useMemo } from "react";
import { languageOf } from "../core/highlight.ts";
import { CodeLines } from "./markdown.tsx";

/** Longer texts are shown without colors, because each key colors all of it again. */
const COLORED = 50_000;

export function CodeEditor(props: {
  path: string;
  label: string;
  text: string;
  onChange: (text: string) => void;
  onSave: () => void;
}): ReactElement {
  const { path, label, text, onChange, onSave } = props;
  const count = useMemo(() => text.split("\n").length, [text]);
  const language = text.length > COLORED ? "" : languageOf(path);
  return (
    <div className="code-editor">
      <pre className="code-numbers" aria-hidden="true">
        {Array.from({ length: count }, (_, index) => index + 1).join("\n")}
      </pre>
      <div className="code-layers">
        <pre className="code-colors" aria-hidden="true">
          <CodeLines text={text} language={language} />
          {"\n"}
        </pre>
        <textarea
          className="code-input"
          aria-label={label}
          spellCheck={false}
          wrap="off"
          value={text}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={(event) => {
            if (!(event.metaKey || event.ctrlKey) || event.key !== "s") return;
            event.preventDefault();
            onSave();
          }}
        />
      </div>
    </div>
  );
}
