// Part of a session's log, read page by page.

import type { EventPageQuery, Session, UniversalEvent } from "sandbox-agent";
import type { StreamOptions } from "./stream.ts";

export interface LogRange extends Pick<EventPageQuery, "types" | "deltas"> {
  /** Event to start after. */
  after: number;
  /** Last event to read. */
  last: number;
}

export async function* eventsIn(
  session: Session,
  { after, last, ...select }: LogRange,
  options: StreamOptions,
): AsyncGenerator<UniversalEvent> {
  let position = after;
  while (position < last) {
    const page = await session.eventPage({ after: position, limit: 1_000, ...select }, options);
    for (const event of page.events) if (event.id <= last) yield event;
    if (!page.hasMore) return;
    position = page.next;
  }
}
