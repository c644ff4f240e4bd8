// Transcripts as plain values, to compare them. Positions are left out: they depend on how a log was read, the order does not.

import type { AssistantItem, Transcript, TranscriptItem, UserItem } from "../../src/transcript/index.ts";

type Message = UserItem | AssistantItem;
type Plain<T> = T extends T ? Omit<T, "position"> : never;

const isMessage = (item: TranscriptItem): item is Message =>
  item.kind === "user" || item.kind === "assistant";

function withoutPosition<T extends TranscriptItem>({ position: _, ...item }: T): Plain<T> {
  return item as unknown as Plain<T>;
}

/** Everything of a transcript that a view could show. */
export function plain(transcript: Transcript): unknown {
  const { index: _, items, queue, permissions, questions, ...rest } = transcript;
  const lists = { items: items.toArray(), queue, permissions, questions };
  const shown = Object.entries(lists).map(([name, list]) => [name, list.map(withoutPosition)]);
  return { ...rest, ...Object.fromEntries(shown) };
}

/** All messages, those that wait at the end. A page does not say how a turn ended or who withdrew a message. */
export function messagesOf(transcript: Transcript, read: "events" | "page" = "events"): Plain<Message>[] {
  const messages = [...transcript.items.toArray().filter(isMessage), ...transcript.queue];
  const reduced = messages.map((item) =>
    read === "page" && item.kind === "user" ? { ...item, state: { type: item.state.type } } : item,
  );
  return (reduced as Message[]).map(withoutPosition);
}

/** All items but messages. */
export function sideItemsOf(transcript: Transcript): unknown[] {
  return transcript.items
    .toArray()
    .filter((item) => !isMessage(item))
    .map(withoutPosition);
}
