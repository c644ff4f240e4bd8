// One row of the transcript.

import { memo, type ReactElement, type ReactNode, useState } from "react";
import type { PermissionReply, SessionInfo } from "sandbox-agent";
import type { SessionStore } from "sandbox-agent/stores";
import type { UserItem } from "sandbox-agent/transcript";
import { between, compact, cost, duration, exactTime, plural } from "../core/format.ts";
import { clientName, forgetDecision, rememberDecision } from "../core/identity.ts";
import type { Row } from "../core/rows.ts";
import { summarize } from "../core/tool-view.ts";
import { Button, CopyButton } from "./controls.tsx";
import { CopyMenu } from "./copy-menu.tsx";
import { Fold } from "./fold.tsx";
import { Icon } from "./icons.tsx";
import { ImageView } from "./image-view.tsx";
import { Markdown } from "./markdown.tsx";
import { Json } from "./output.tsx";
import { PermissionCard } from "./permission-card.tsx";
import { QuestionCard } from "./question-card.tsx";
import { SessionEvent } from "./session-event.tsx";
import { ToolRow } from "./tool-row.tsx";

export interface RowContext {
  readonly store: SessionStore;
  readonly info: SessionInfo | undefined;
  /** Ids of tool calls that wait for a decision. */
  readonly waiting: ReadonlySet<string>;
  /** Ids of the open permissions, the oldest first. */
  readonly open: readonly string[];
  /** Copies the session as it was after an event. */
  readonly onFork: (until: number) => void;
  /** Returns what the agent said in a turn. */
  readonly textOfTurn: (turnId: string) => string;
}

export const RowView = memo(function RowView({ row, context }: { row: Row; context: RowContext }): ReactNode {
  const cwd = context.info?.cwd;
  switch (row.type) {
    case "user":
      return <UserMessage item={row.item} />;
    case "part":
      return <PartView row={row} />;
    case "tool":
      return (
        <ToolRow tool={row.tool} nested={row.children} cwd={cwd} waiting={context.waiting.has(row.tool.id)} />
      );
    case "looked":
      return (
        <Fold icon="search" verb={looked(row.tools)} state={<Icon name="check" />}>
          {row.tools.map((tool) => (
            <ToolRow key={tool.id} tool={tool} nested={[]} cwd={cwd} waiting={false} />
          ))}
        </Fold>
      );
    case "turnEnd":
      return <TurnEnd row={row} context={context} />;
    default:
      return <OtherRow row={row} context={context} />;
  }
});

function OtherRow({
  row,
  context,
}: {
  row: Extract<Row, { type: "other" }>;
  context: RowContext;
}): ReactElement {
  const { item } = row;
  const { store, info } = context;
  if (item.kind === "permission") {
    const index = context.open.indexOf(item.id);
    const place = index === -1 ? undefined : { index: index + 1, count: context.open.length };
    const reply = (id: string, decision: PermissionReply): void => {
      void decide(id, () => store.replyPermission(id, { ...decision, client: CLIENT }));
    };
    return <PermissionCard item={item} cwd={info?.cwd} place={place} onReply={reply} />;
  }
  if (item.kind === "question") {
    return (
      <QuestionCard
        item={item}
        onReply={(id, answers) => void decide(id, () => store.replyQuestion(id, answers, { client: CLIENT }))}
        onReject={(id) => void decide(id, () => store.rejectQuestion(id))}
        onFeedback={(text) => void store.send(text)}
      />
    );
  }
  return <SessionEvent item={item} onResume={store.resume} />;
}

const CLIENT = clientName(navigator.userAgent);

/** Decides, and remembers it as this tab's decision unless another client was faster. */
async function decide(id: string, send: () => Promise<boolean>): Promise<void> {
  rememberDecision(sessionStorage, id);
  const won = await send().catch(() => false);
  if (!won) forgetDecision(sessionStorage, id);
}

function looked(tools: Extract<Row, { type: "looked" }>["tools"]): string {
  const files = new Set(
    tools.filter((tool) => tool.kind === "read").map((tool) => summarize(tool, undefined).target),
  );
  const searches = tools.filter((tool) => tool.kind === "search").length;
  const parts = [];
  if (files.size > 0) parts.push(`Looked at ${plural(files.size, "file")}`);
  if (searches > 0) parts.push(`${files.size > 0 ? "ran" : "Ran"} ${plural(searches, "search", "searches")}`);
  return parts.join(", ");
}

/** Lines of a long message that are shown before the reader asks for all. */
const LONG = 12;

function UserMessage({ item }: { item: UserItem }): ReactElement {
  const [open, setOpen] = useState(false);
  const text = item.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const files = item.parts.filter((part) => part.type === "file");
  const images = item.parts.filter((part) => part.type === "image");
  const long = text.split("\n").length > LONG || text.length > 1_500;
  const withdrawn = item.state.type === "withdrawn";
  return (
    <div
      className={`user-message ${withdrawn ? "user-message-withdrawn" : ""}`}
      title={exactTime(item.timestamp)}
    >
      <div className={long && !open ? "user-fold" : ""}>{text}</div>
      {long ? (
        <Button size="small" look="quiet" onClick={() => setOpen(!open)}>
          {open ? "Show less" : "Show all"}
        </Button>
      ) : null}
      {files.length + images.length === 0 ? null : (
        <div className="chips">
          {files.map((file, index) => (
            <span className="chip" key={`${file.path ?? file.name ?? ""}${index}`}>
              <Icon name="attach" />
              <span className="truncate">{file.name ?? file.path ?? "file"}</span>
            </span>
          ))}
          {images.map((image, index) => (
            <ImageView
              key={`image${index}`}
              source={image.source}
              mimeType={image.mimeType}
              alt={image.alt ?? "Attached image"}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function PartView({ row }: { row: Extract<Row, { type: "part" }> }): ReactNode {
  const { part, item, last } = row;
  switch (part.type) {
    case "text":
      return <Markdown text={part.text} />;
    case "reasoning":
      return (
        <div className="reasoning">
          <Fold icon="think" verb={item.streaming && last ? "Thinking…" : "Thought"}>
            <Markdown text={part.text} />
          </Fold>
        </div>
      );
    case "image":
      return (
        <ImageView source={part.source} mimeType={part.mimeType} alt={part.alt ?? "Image from the agent"} />
      );
    case "file":
      return (
        <span className="chip">
          <Icon name="read" />
          <span className="truncate">{part.name ?? part.path ?? "file"}</span>
        </span>
      );
    case "error":
      return (
        <div className="problem" role="alert">
          <div className="problem-title">{part.message}</div>
        </div>
      );
    case "function":
      return (
        <Fold icon="tool" verb={part.name}>
          <Json value={part.arguments} />
          {part.result === undefined ? null : <Json value={part.result.value} />}
        </Fold>
      );
    default:
      return (
        <Fold icon="events" verb="Content of an unknown type">
          <Json value={part.raw} />
        </Fold>
      );
  }
}

const STOPS: Record<string, string> = {
  endTurn: "Done",
  maxTokens: "Stopped at the output limit",
  maxTurnRequests: "Stopped at the request limit",
  refusal: "Refused",
  cancelled: "Cancelled",
  error: "Failed",
  unknown: "Interrupted",
};

function TurnEnd(props: { row: Extract<Row, { type: "turnEnd" }>; context: RowContext }): ReactElement {
  const { row, context } = props;
  const { item, startedAt } = row;
  const { usage } = item;
  const stop =
    item.reason === "daemonRestarted" ? "Interrupted: the daemon was restarted" : STOPS[item.stopReason];
  const total = usage?.totalTokens ?? (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  return (
    <div className="turn-end">
      <span>{stop ?? item.stopReason}</span>
      {startedAt === undefined ? null : <span>{duration(between(startedAt, item.timestamp))}</span>}
      {total === 0 ? null : (
        <span title={`${usage?.inputTokens ?? 0} in, ${usage?.outputTokens ?? 0} out`}>
          {compact(total)} tokens
        </span>
      )}
      {usage?.cost === undefined ? null : <span>{cost(usage.cost)}</span>}
      <span className="turn-end-actions">
        <CopyButton text={() => context.textOfTurn(item.turnId)} label="Copy the answer" />
        <Button
          look="quiet"
          size="small"
          icon="fork"
          aria-label="Fork from here"
          title="Fork the session after this turn"
          onClick={() => context.onFork(item.position)}
        />
        <CopyMenu
          object={{ type: "event", sessionId: context.store.id, eventId: item.position }}
          name="this turn"
        />
      </span>
    </div>
  );
}
