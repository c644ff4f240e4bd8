// Where items stand: adding, replacing and moving them, with the indexes that find them.

import type { AssistantItem, Ending, Transcript, TranscriptIndex, TranscriptItem } from "./model.ts";

/** Key of a message, by its id. */
export const messageKey = (id: string): string => `message:${id}`;

/** Returns the item with a key. */
export function itemOf(transcript: Transcript, key: string): TranscriptItem | undefined {
  const position = transcript.index.positions.get(key);
  return position === undefined ? undefined : transcript.items.atPosition(position);
}

/** Adds an item or replaces the one with its key. An item whose position differs moves. */
export function put(transcript: Transcript, item: TranscriptItem): Transcript {
  const before = transcript.index.positions.get(item.key);
  if (before === item.position) return { ...transcript, items: transcript.items.with(item) };
  const items = before === undefined ? transcript.items : transcript.items.without(before);
  const positions = transcript.index.positions.set(item.key, item.position);
  const placed = { ...transcript, items: items.with(item), index: { ...transcript.index, positions } };
  return item.kind === "assistant" && item.parentId !== undefined
    ? adopt(placed, item.parentId, item)
    : placed;
}

/** Adds an item whose position is replaced as soon as the event that puts it in place is read. */
export function putEstimated(transcript: Transcript, item: TranscriptItem): Transcript {
  const placed = put(transcript, item);
  return withIndex(placed, { estimated: placed.index.estimated.set(item.key, true) });
}

/** Returns the position that an event gives to the item with a key, which may stand somewhere already. */
export function placeOf(transcript: Transcript, key: string, eventId: number): number {
  const position = transcript.index.positions.get(key);
  return position === undefined || transcript.index.estimated.has(key) ? eventId : position;
}

/** Notes that the position of an item is final. */
export function settlePlace(transcript: Transcript, key: string): Transcript {
  const { estimated } = transcript.index;
  return estimated.has(key) ? withIndex(transcript, { estimated: estimated.delete(key) }) : transcript;
}

/** Keeps the end of something whose beginning has not been read; the newest end if there are several. */
export function keepOutcome(
  transcript: Transcript,
  key: string,
  eventId: number,
  outcome: Ending,
): Transcript {
  const { outcomes } = transcript.index;
  if ((outcomes.get(key)?.eventId ?? 0) > eventId) return transcript;
  return withIndex(transcript, { outcomes: outcomes.set(key, { ...outcome, eventId }) });
}

export function withIndex(transcript: Transcript, change: Partial<TranscriptIndex>): Transcript {
  return { ...transcript, index: { ...transcript.index, ...change } };
}

function adopt(transcript: Transcript, parentId: string, child: AssistantItem): Transcript {
  const { children, positions } = transcript.index;
  const known = children.get(parentId) ?? [];
  const at = (key: string): number => positions.get(key) ?? 0;
  const last = known.at(-1);
  const grown = known.includes(child.key) ? known : [...known, child.key];
  const inOrder = grown !== known && (last === undefined || at(last) < child.position);
  const ordered = inOrder ? grown : grown.toSorted((left, right) => at(left) - at(right));
  return withIndex(transcript, { children: children.set(parentId, ordered) });
}
