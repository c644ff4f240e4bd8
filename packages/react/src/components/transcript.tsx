// The transcript of a session: one element per item, rendered again only if the item changes.

import { memo, type ReactNode, useMemo } from "react";
import type { TranscriptItem } from "sandbox-agent/transcript";
import { useTranscript } from "../use-transcript.ts";
import { PermissionCard } from "./permission-card.tsx";
import { PlanCard } from "./plan-card.tsx";
import { QuestionForm } from "./question-form.tsx";
import { Part, type PartSlots } from "./transcript-parts.tsx";

type ItemOf<K extends TranscriptItem["kind"]> = Extract<TranscriptItem, { kind: K }>;

/** Components for the items of a transcript, by their kind. */
export type ItemSlots = {
  [K in TranscriptItem["kind"]]?: (props: { item: ItemOf<K>; sessionId: string }) => ReactNode;
};

export interface TranscriptProps {
  sessionId: string;
  className?: string;
  /** Replaces the rendering of items by kind. Define it outside of the component: a new object renders everything again. */
  slots?: ItemSlots;
  /** Replaces the rendering of parts of messages by type. Define it outside of the component as well. */
  parts?: PartSlots;
  /** Label of the list for screen readers. */
  label?: string;
  /** Label of the button that loads older messages. */
  olderLabel?: string;
}

interface ItemContext {
  readonly sessionId: string;
  readonly slots: ItemSlots;
  readonly parts: PartSlots;
}

const NONE = {};

/** Shows a session live: messages, tool calls, permissions, questions, and what waits in the queue. */
export function Transcript(props: TranscriptProps): ReactNode {
  const { sessionId, className, slots = NONE, parts = NONE } = props;
  const { label = "Conversation", olderLabel = "Load older messages" } = props;
  const { items, queue, connection, hasOlder, history, loadOlder } = useTranscript(sessionId);
  const context = useMemo(() => ({ sessionId, slots, parts }), [sessionId, slots, parts]);
  return (
    <div
      className={className}
      role="log"
      aria-label={label}
      aria-busy={connection.state === "connecting"}
      data-sandbox-agent="transcript"
      data-connection={connection.state}
    >
      {hasOlder ? (
        <button type="button" data-slot="older" disabled={history.state === "loading"} onClick={loadOlder}>
          {olderLabel}
        </button>
      ) : null}
      {items.chunks.map((chunk) => (
        <Chunk key={chunk[0]?.key} items={chunk} context={context} />
      ))}
      {queue.map((item) => (
        <Item key={item.key} item={item} context={context} />
      ))}
    </div>
  );
}

/** Items are kept in runs, so that a change has to compare a few runs instead of all items. */
const Chunk = memo(function Chunk(props: {
  items: readonly TranscriptItem[];
  context: ItemContext;
}): ReactNode {
  return props.items.map((item) => <Item key={item.key} item={item} context={props.context} />);
});

const Item = memo(function Item({
  item,
  context,
}: {
  item: TranscriptItem;
  context: ItemContext;
}): ReactNode {
  const { sessionId, slots, parts } = context;
  const Slot = slots[item.kind] as
    | ((props: { item: TranscriptItem; sessionId: string }) => ReactNode)
    | undefined;
  return (
    <article
      data-item={item.kind}
      data-state={"state" in item ? item.state.type : undefined}
      data-streaming={item.kind === "assistant" && item.streaming ? "" : undefined}
      data-parent={item.kind === "assistant" ? item.parentId : undefined}
    >
      {Slot === undefined ? (
        <DefaultItem item={item} sessionId={sessionId} parts={parts} />
      ) : (
        <Slot item={item} sessionId={sessionId} />
      )}
    </article>
  );
});

interface DefaultItemProps {
  item: TranscriptItem;
  sessionId: string;
  parts: PartSlots;
}

function DefaultItem({ item, sessionId, parts }: DefaultItemProps): ReactNode {
  switch (item.kind) {
    case "user":
    case "assistant":
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids and are only ever appended.
      return item.parts.map((part, index) => <Part key={index} part={part} slots={parts} />);
    case "permission":
      return <PermissionCard sessionId={sessionId} item={item} />;
    case "question":
      return item.request.planApproval === true ? (
        <PlanCard sessionId={sessionId} item={item} />
      ) : (
        <QuestionForm sessionId={sessionId} item={item} />
      );
    default:
      return noteOf(item);
  }
}

/** Returns the text of an item that is neither a message nor a request; nothing for what needs no words. */
function noteOf(item: TranscriptItem): string | null {
  switch (item.kind) {
    case "notice":
      return [item.notice.title, item.notice.description].filter((text) => text !== undefined).join(": ");
    case "error":
      return item.error.message;
    case "compaction":
      return item.compaction.summary ?? "The conversation was summarized";
    case "continuity":
      return `The agent was started again (${item.continuity.kind})`;
    case "ended":
      return "The session has ended";
    case "gap":
      return "Older events are no longer kept";
    case "turnEnd":
      return item.stopReason === "endTurn" ? null : `Stopped: ${item.reason ?? item.stopReason}`;
    default:
      return null;
  }
}
