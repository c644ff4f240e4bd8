// One session as the page shows it: read the newest page, follow the events, read older pages on demand.

import { ProblemError, type SandboxAgent, type Session, type SessionInfo, type UniversalEvent } from "sandbox-agent";
import {
  applyEvents,
  applyGap,
  emptyTranscript,
  fromTranscriptPage,
  prependTranscriptPage,
  type Transcript,
} from "sandbox-agent/transcript";

export type Link =
  | { readonly type: "loading" }
  | { readonly type: "live" }
  | { readonly type: "reconnecting"; readonly retryAt: number }
  | { readonly type: "failed"; readonly error: unknown };

export interface SessionView {
  readonly session: Session | undefined;
  readonly info: SessionInfo | undefined;
  readonly transcript: Transcript;
  readonly link: Link;
  readonly loadingOlder: boolean;
}

/** Messages of the first page, and of each older one. */
const PAGE = 60;
/** Largest page of events that the daemon returns. */
const EVENTS = 1_000;

/** Follows one session until it is closed. Subscribers are notified at most once per frame. */
export class SessionStore {
  readonly #client: SandboxAgent;
  readonly #id: string;
  readonly #listeners = new Set<() => void>();
  #view: SessionView = {
    session: undefined,
    info: undefined,
    transcript: emptyTranscript(),
    link: { type: "loading" },
    loadingOlder: false,
  };
  #abort = new AbortController();
  #pending: UniversalEvent[] = [];
  #frame: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: SandboxAgent, id: string) {
    this.#client = client;
    this.#id = id;
  }

  readonly view = (): SessionView => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  open(): void {
    void this.#follow();
  }

  close(): void {
    this.#abort.abort();
    clearTimeout(this.#timer);
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }

  /** Connects again at once, from the last event that was seen. */
  readonly retry = (): void => {
    this.#abort.abort();
    clearTimeout(this.#timer);
    this.#abort = new AbortController();
    void this.#follow();
  };

  /** Puts the next older page in front of the transcript. */
  readonly loadOlder = async (): Promise<void> => {
    const { session, transcript, loadingOlder } = this.#view;
    if (session === undefined || loadingOlder || transcript.older === undefined) return;
    this.#set({ loadingOlder: true });
    try {
      const before = transcript.index.oldestEventId;
      const page = await session.messages({ order: "desc", limit: PAGE, after: transcript.older });
      const events = await this.#eventsBetween(session, (page.next ?? 1) - 1, before - 1);
      this.#set({ transcript: prependTranscriptPage(this.#view.transcript, page, { events }) });
    } finally {
      this.#set({ loadingOlder: false });
    }
  };

  async #follow(): Promise<void> {
    const { signal } = this.#abort;
    try {
      const session = this.#view.session ?? (await this.#first(signal));
      await this.#stream(session, signal);
      await this.#refresh(session);
    } catch (error) {
      if (signal.aborted) return;
      this.#flush();
      if (error instanceof ProblemError && error.status < 500 && error.status !== 429) {
        this.#set({ link: { type: "failed", error } });
      } else this.#retryLater(3_000);
    }
  }

  async #first(signal: AbortSignal): Promise<Session> {
    const session = await this.#client.sessions.get(this.#id, { signal });
    const page = await session.messages({ order: "desc", limit: PAGE }, { signal });
    const events = await this.#eventsBetween(session, (page.next ?? 1) - 1, page.eventsAfter);
    const info = await session.refresh({ signal });
    const transcript = fromTranscriptPage(page, { events, session: info });
    this.#set({ session, info, transcript, link: { type: "live" } });
    return session;
  }

  async #stream(session: Session, signal: AbortSignal): Promise<void> {
    const stream = session.events({
      after: this.#view.transcript.lastEventId,
      signal,
      onGap: (gap) => {
        this.#flush();
        this.#set({ transcript: applyGap(this.#view.transcript, gap) });
      },
      onReconnect: (_cause, delayMs) => {
        this.#set({ link: { type: "reconnecting", retryAt: Date.now() + delayMs } });
        // No event may come for long, so the end of the break is found by asking.
        this.#probe(session, delayMs);
      },
    });
    for await (const event of stream) {
      if (this.#view.link.type !== "live") this.#live(session);
      this.#add(event);
      if (changesInfo(event)) void this.#refresh(session);
    }
  }

  #probe(session: Session, delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#live(session), delayMs + 50);
  }

  #live(session: Session): void {
    session.refresh({ timeoutMs: 5_000 }).then(
      (info) => this.#set({ info, link: { type: "live" } }),
      () => {},
    );
  }

  #retryLater(delayMs: number): void {
    this.#set({ link: { type: "reconnecting", retryAt: Date.now() + delayMs } });
    this.#timer = setTimeout(this.retry, delayMs);
  }

  async #refresh(session: Session): Promise<void> {
    try {
      this.#set({ info: await session.refresh() });
    } catch {
      // The stream reports a connection that is lost.
    }
  }

  async #eventsBetween(session: Session, after: number, to: number): Promise<UniversalEvent[]> {
    const events: UniversalEvent[] = [];
    let from = Math.max(0, after);
    while (from < to) {
      const page = await session.eventPage({ after: from, limit: EVENTS, deltas: false });
      events.push(...page.events);
      if (!page.hasMore || page.next === undefined) break;
      from = page.next;
    }
    return events;
  }

  /** Hidden tabs have no frames, so a timer stands in for them there. */
  #add(event: UniversalEvent): void {
    this.#pending.push(event);
    if (this.#frame !== undefined) return;
    if (document.hidden) this.#flush();
    else this.#frame = requestAnimationFrame(() => this.#flush());
  }

  #flush(): void {
    this.#frame = undefined;
    if (this.#pending.length === 0) return;
    const events = this.#pending;
    this.#pending = [];
    this.#set({ transcript: applyEvents(this.#view.transcript, events) });
  }

  #set(change: Partial<SessionView>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Some of the session's state is not in the events: health, permission mode, agent version. */
function changesInfo(event: UniversalEvent): boolean {
  return ["started", "modeChanged", "infoChanged", "error", "turnEnded", "ended"].includes(event.type);
}
