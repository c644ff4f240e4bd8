// Markdown of the agent: prose as sanitized HTML, code with colors and a copy button.

import { memo, type ReactElement, useMemo } from "react";
import { type Block, blocksOf } from "../core/blocks.ts";
import { highlight } from "../core/highlight.ts";
import { CopyButton } from "./controls.tsx";
import { ScrollRegion } from "./scroll-region.tsx";
import "./markdown.css";

export const Markdown = memo(function Markdown({ text }: { text: string }): ReactElement {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <div className="markdown">
      {blocks.map((block) => (
        <BlockView key={block.key} block={block} />
      ))}
    </div>
  );
});

const BlockView = memo(
  function BlockView({ block }: { block: Block }): ReactElement {
    if (block.type === "code") return <CodeBlock text={block.text} language={block.language} />;
    // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitized by blocksOf
    return <div className="markdown-block" dangerouslySetInnerHTML={{ __html: block.html }} />;
  },
  ({ block: before }, { block: after }) =>
    before.type === "html" && after.type === "html"
      ? before.html === after.html
      : before.type === "code" &&
        after.type === "code" &&
        before.text === after.text &&
        before.language === after.language,
);

export function CodeBlock({ text, language }: { text: string; language: string }): ReactElement {
  return (
    <div className="code-block">
      <div className="code-bar">
        <span>{language === "" ? "text" : language}</span>
        <CopyButton text={() => text} label="Copy code" />
      </div>
      <ScrollRegion className="code-scroll" label={language === "" ? "Code" : `Code in ${language}`}>
        <pre>
          <code>
            <CodeLines text={text} language={language} />
          </code>
        </pre>
      </ScrollRegion>
    </div>
  );
}

export const CodeLines = memo(function CodeLines(props: { text: string; language: string }): ReactElement {
  const lines = props.text.split("\n");
  return (
    <>
      {lines.map((line, index) => (
        <span key={index}>
          <CodeLine text={line} language={props.language} />
          {index < lines.length - 1 ? "\n" : ""}
        </span>
      ))}
    </>
  );
});

export const CodeLine = memo(function CodeLine(props: { text: string; language: string }): ReactElement {
  return (
    <>
      {highlight(props.text, props.language).map((token, index) =>
        token.kind === "plain" ? (
          token.text
        ) : (
          <span key={index} className={`tok-${token.kind}`}>
            {token.text}
          </span>
        ),
      )}
    </>
  );
});
