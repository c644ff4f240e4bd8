// Reads a transcript from the daemon: the newest page, then older ones, each with the events of its part of the log.

import type { Session as SessionInfo, TranscriptPage, UniversalEvent } from "../generated/openapi.gen.ts";
import type { RequestOptions } from "../http/http.ts";
import type { Session } from "../sessions/session.ts";
import { fromTranscriptPage, prependTranscriptPage, type Transcript } from "../transcript/index.ts";

/** Parts of the log up to this many events are read with the pieces of messages, which place them exactly. */
const WITH_PIECES = 1_000;

const LARGEST_PAGE = 1_000;

/** Reads the newest messages and the state of the session. */
export async function readNewest(
  session: Session,
  limit: number,
  request: RequestOptions,
): Promise<{ transcript: Transcript; info: SessionInfo }> {
  const page = await readBehindQueue(session, limit, request);
  const info = await session.refresh(request);
  const events = await readEvents(session, page.next ?? 1, page.eventsAfter, request);
  return { transcript: fromTranscriptPage(page, { session: info, events }), info };
}

/** A cursor within the queue names no place in the log, so the page has to reach behind the queue. */
async function readBehindQueue(
  session: Session,
  limit: number,
  request: RequestOptions,
): Promise<TranscriptPage> {
  for (let size = limit; ; size *= 4) {
    const page = await session.messages({ order: "desc", limit: Math.min(size, LARGEST_PAGE) }, request);
    const endsInQueue = page.messages.at(-1)?.state === "queued" && page.hasMore;
    if (!endsInQueue || size >= LARGEST_PAGE) return page;
  }
}

/** Reads the next older page. Returns a function that puts it in front of the transcript as it is by then. */
export async function readOlder(
  session: Session,
  transcript: Transcript,
  limit: number,
  request: RequestOptions,
): Promise<(current: Transcript) => Transcript> {
  const { older, index } = transcript;
  if (older === undefined) return (current) => current;
  const page = await session.messages({ order: "desc", after: older, limit }, request);
  const events = await readEvents(session, page.next ?? 1, index.oldestEventId - 1, request);
  return (current) => prependTranscriptPage(current, page, { events });
}

/** Reads the events from `first` to `last`. */
async function readEvents(
  session: Session,
  first: number,
  last: number,
  request: RequestOptions,
): Promise<UniversalEvent[]> {
  const events: UniversalEvent[] = [];
  const deltas = last - first < WITH_PIECES;
  for (let after = first - 1; after < last; ) {
    const page = await session.eventPage({ after, limit: 1_000, deltas }, request);
    events.push(...page.events.filter((event) => event.id <= last));
    if (!page.hasMore || page.next <= after) break;
    after = page.next;
  }
  return events;
}
