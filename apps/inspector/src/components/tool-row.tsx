// A tool call: one line, and what it shows by its kind.

import { memo, type ReactElement, type ReactNode } from "react";
import type { ToolContent, ToolKind } from "sandbox-agent";
import { type AssistantItem, outputOf, type ToolPart } from "sandbox-agent/transcript";
import { plural, shortPath } from "../core/format.ts";
import { changesOf, commandOf, exitCodeOf, searchHits, summarize, todosOf } from "../core/tool-view.ts";
import { Spinner } from "./controls.tsx";
import { Counts } from "./counts.tsx";
import { DiffView } from "./diff-view.tsx";
import { Fold } from "./fold.tsx";
import { Icon, type IconName } from "./icons.tsx";
import { ImageView } from "./image-view.tsx";
import { Markdown } from "./markdown.tsx";
import { Json, Output } from "./output.tsx";

const ICONS: Partial<Record<ToolKind, IconName>> = {
  read: "read",
  edit: "edit",
  delete: "delete",
  move: "move",
  search: "search",
  execute: "run",
  think: "think",
  fetch: "fetch",
  switchMode: "mode",
};

interface ToolRowProps {
  tool: ToolPart;
  /** Messages of the sub-agent that the call started. */
  nested: readonly AssistantItem[];
  cwd: string | undefined;
  /** True while a question or permission of this call is open. */
  waiting: boolean;
}

export const ToolRow = memo(function ToolRow({ tool, nested, cwd, waiting }: ToolRowProps): ReactElement {
  const summary = summarize(tool, cwd);
  const running = tool.status === "inProgress" || tool.status === "pending";
  const isAgent = nested.length > 0;
  const body = <ToolBody tool={tool} cwd={cwd} />;
  const shown = hasBody(tool);
  return (
    <Fold
      icon={isAgent ? "agent" : (ICONS[tool.kind] ?? "tool")}
      verb={summary.verb}
      target={summary.target}
      code={summary.code}
      state={<ToolState tool={tool} waiting={waiting} />}
      open={
        ((running || failed(tool)) && tool.kind === "execute" && shown) ||
        (tool.kind === "edit" && tool.status === "completed") ||
        todosOf(tool).length > 0
      }
    >
      {isAgent || shown ? (
        <>
          {isAgent ? <SubAgent items={nested} cwd={cwd} /> : null}
          {shown ? body : null}
        </>
      ) : null}
    </Fold>
  );
});

function failed(tool: ToolPart): boolean {
  return tool.status === "failed" || tool.isError;
}

function ToolState({ tool, waiting }: { tool: ToolPart; waiting: boolean }): ReactElement | null {
  const changes = changesOf(tool);
  const counts = changes === undefined ? null : <Counts {...changes} />;
  if (waiting) return <span className="fold-state-waiting">waiting for you</span>;
  if (failed(tool)) {
    const code = exitCodeOf(tool);
    return (
      <span className="fold-state-failed">
        {code === undefined || code === 0 ? "failed" : `exit ${code}`}
      </span>
    );
  }
  if (tool.status === "completed") {
    const code = tool.kind === "execute" ? exitCodeOf(tool) : undefined;
    if (code !== undefined && code !== 0) return <span className="fold-state-failed">exit {code}</span>;
    return counts ?? <Icon name="check" />;
  }
  return (
    <>
      {counts}
      <Spinner />
      <span className="visually-hidden">running</span>
    </>
  );
}

function hasBody(tool: ToolPart): boolean {
  return tool.content.length > 0 || tool.input !== undefined || tool.output !== undefined;
}

function ToolBody({ tool, cwd }: { tool: ToolPart; cwd: string | undefined }): ReactNode {
  const todos = todosOf(tool);
  if (todos.length > 0) return <TodoList entries={todos} />;
  const text = outputOf(tool);
  const command = tool.kind === "execute" ? commandOf(tool.input) : undefined;
  if (command !== undefined) {
    return (
      <>
        <Output text={text} command={command} />
        <Others content={tool.content} cwd={cwd} />
      </>
    );
  }
  const hits = tool.kind === "search" ? searchHits(text) : undefined;
  const others = <Others content={tool.content} cwd={cwd} />;
  if (hits !== undefined) return [<Hits key="hits" hits={hits} cwd={cwd} />, others];
  if (tool.content.some((content) => content.type === "diff")) return others;
  return (
    <>
      {text === "" ? <Input tool={tool} /> : <Output text={text} />}
      {others}
    </>
  );
}

/** Without anything to show, the raw input and output are better than nothing. */
function Input({ tool }: { tool: ToolPart }): ReactElement | null {
  const output = typeof tool.output === "string" || tool.output === undefined ? undefined : tool.output;
  return (
    <>
      {tool.input === undefined ? null : <Json value={tool.input} />}
      {output === undefined ? null : <Json value={output} />}
    </>
  );
}

function Others({ content, cwd }: { content: readonly ToolContent[]; cwd: string | undefined }): ReactNode {
  return content.map((part, index) => {
    const key = `${part.type}${index}`;
    switch (part.type) {
      case "diff":
        return (
          <DiffView
            key={key}
            path={part.path}
            oldText={part.oldText ?? ""}
            newText={part.newText}
            cwd={cwd}
          />
        );
      case "image":
        return (
          <ImageView key={key} source={part.source} mimeType={part.mimeType} alt="Image from the tool" />
        );
      case "file":
        return (
          <div key={key} className="chip">
            <Icon name="read" />
            <span className="truncate">{part.path ?? part.name}</span>
          </div>
        );
      case "unknown":
        return <Json key={key} value={part.raw} />;
      default:
        return null;
    }
  });
}

function Hits(props: {
  hits: readonly { path: string; line: number | undefined; text: string }[];
  cwd: string | undefined;
}): ReactElement {
  return (
    <div className="hits">
      {props.hits.slice(0, 100).map((hit) => (
        <div className="hit" key={`${hit.path}:${hit.line ?? ""}:${hit.text}`}>
          <span className="hit-place truncate">
            {shortPath(hit.path, props.cwd)}
            {hit.line === undefined ? "" : `:${hit.line}`}
          </span>
          <span className="truncate">{hit.text.trim()}</span>
        </div>
      ))}
      {props.hits.length > 100 ? (
        <span className="line-note">{plural(props.hits.length - 100, "more hit")}</span>
      ) : null}
    </div>
  );
}

export function TodoList({
  entries,
}: {
  entries: readonly { text: string; status: string }[];
}): ReactElement {
  return (
    <ul className="todos">
      {entries.map((entry) => (
        <li key={entry.text} className={`todo todo-${entry.status}`}>
          <span className="todo-mark">
            {entry.status === "completed" ? (
              <Icon name="check" />
            ) : (
              <span className={`dot ${/progress/i.test(entry.status) ? "dot-running" : ""}`} />
            )}
          </span>
          {entry.text}
        </li>
      ))}
    </ul>
  );
}

/** Messages of a sub-agent, one level deep. */
function SubAgent({ items, cwd }: { items: readonly AssistantItem[]; cwd: string | undefined }): ReactNode {
  return items.flatMap((item) =>
    item.parts.map((part, index) => {
      const key = `${item.key}/${index}`;
      if (part.type === "tool")
        return <ToolRow key={key} tool={part} cwd={cwd} waiting={false} nested={[]} />;
      return part.type === "text" ? <Markdown key={key} text={part.text} /> : null;
    }),
  );
}
