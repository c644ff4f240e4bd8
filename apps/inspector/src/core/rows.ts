// The transcript as rows of a virtual list: one message part, one card or one turn boundary each.

import {
  type AssistantItem,
  childrenOf,
  isNested,
  type ToolPart,
  type Transcript,
  type TranscriptItem,
  type TranscriptPart,
  type TurnEndItem,
  type UserItem,
} from "sandbox-agent/transcript";

export type Row =
  | { readonly type: "user"; readonly key: string; readonly item: UserItem }
  | {
      readonly type: "part";
      readonly key: string;
      readonly item: AssistantItem;
      readonly part: Exclude<TranscriptPart, ToolPart>;
      readonly last: boolean;
    }
  | {
      readonly type: "tool";
      readonly key: string;
      readonly item: AssistantItem;
      readonly tool: ToolPart;
      readonly children: readonly AssistantItem[];
    }
  | { readonly type: "looked"; readonly key: string; readonly tools: readonly ToolPart[] }
  | {
      readonly type: "turnEnd";
      readonly key: string;
      readonly item: TurnEndItem;
      readonly startedAt: string | undefined;
    }
  | {
      readonly type: "other";
      readonly key: string;
      readonly item: Exclude<TranscriptItem, UserItem | AssistantItem | TurnEndItem>;
    };

/** Fewer calls than this stay rows of their own. */
const FOLD = 3;

/** Returns the rows of a transcript. Rows of items that did not change are the same objects as before. */
export function rowsOf(transcript: Transcript): Row[] {
  const rows: Row[] = [];
  let startedAt: string | undefined;
  for (const item of transcript.items) {
    if (item.kind === "user") startedAt = item.timestamp;
    if (item.kind === "assistant") {
      if (isNested(transcript, item)) continue;
      rows.push(...assistantRows(transcript, item).filter((row) => !isAsked(transcript, row)));
    } else if (item.kind === "turnEnd") rows.push(turnEndRow(item, startedAt));
    else if (item.kind === "user")
      rows.push(cached(item, () => [{ type: "user", key: item.key, item }])[0] as Row);
    else if (isShown(transcript, item))
      rows.push(...cached(item, () => [{ type: "other", key: item.key, item }]));
  }
  return fold(rows);
}

/** A call that waits for the reader is shown by the card that asks. */
function isAsked({ permissions, questions }: Transcript, row: Row): boolean {
  if (row.type !== "tool" || row.children.length > 0) return false;
  const { id } = row.tool;
  return [...permissions, ...questions].some(({ request }) => request.toolCallId === id);
}

/** The first choice of modes is the start of the session, not a change. */
function isShown(transcript: Transcript, item: TranscriptItem): boolean {
  if (item.kind === "mode") return transcript.older !== undefined || item !== transcript.items.at(0);
  return true;
}

const rowsByItem = new WeakMap<TranscriptItem, readonly Row[]>();

function cached(item: TranscriptItem, make: () => Row[]): readonly Row[] {
  const known = rowsByItem.get(item);
  if (known !== undefined) return known;
  const rows = make();
  rowsByItem.set(item, rows);
  return rows;
}

function assistantRows(transcript: Transcript, item: AssistantItem): readonly Row[] {
  const rows = cached(item, () =>
    item.parts.map((part, index): Row => {
      const key = `${item.key}/${index}`;
      if (part.type === "tool") return { type: "tool", key, item, tool: part, children: [] };
      return { type: "part", key, item, part, last: index === item.parts.length - 1 };
    }),
  );
  // A sub-agent's messages arrive after its call, which stays the same object.
  return rows.map((row) => {
    if (row.type !== "tool") return row;
    const children = childrenOf(transcript, row.tool.id);
    return children.length === 0 ? row : { ...row, children };
  });
}

function turnEndRow(item: TurnEndItem, startedAt: string | undefined): Row {
  return { type: "turnEnd", key: item.key, item, startedAt };
}

/** Joins consecutive reads and searches that are done. */
function fold(rows: readonly Row[]): Row[] {
  const result: Row[] = [];
  for (let from = 0; from < rows.length; ) {
    let to = from;
    while (isLook(rows[to])) to += 1;
    if (to - from < FOLD) {
      result.push(...rows.slice(from, Math.max(to, from + 1)));
      from = Math.max(to, from + 1);
      continue;
    }
    const tools = rows.slice(from, to).flatMap((row) => (row.type === "tool" ? [row.tool] : []));
    result.push({ type: "looked", key: `looked:${rows[from]?.key}`, tools });
    from = to;
  }
  return result;
}

function isLook(row: Row | undefined): boolean {
  if (row?.type !== "tool" || row.children.length > 0) return false;
  const { kind, status } = row.tool;
  return (kind === "read" || kind === "search") && status === "completed";
}
