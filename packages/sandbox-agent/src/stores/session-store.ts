// A session that is followed live: its transcript, its state, and the connection to the daemon.

import { Backoff, sleep } from "acp-http-client/sse";
import type { SandboxAgent } from "../client.ts";
import { GapError, TimeoutError } from "../errors/errors.ts";
import type {
  CancelResult,
  InputPart,
  PermissionReply,
  Session as SessionInfo,
  SessionPatch,
  UniversalEvent,
} from "../generated/openapi.gen.ts";
import { isTransient } from "../http/failures.ts";
import type { SendOptions, Session } from "../sessions/session.ts";
import type { Turn } from "../sessions/turn.ts";
import { applyEvents, applySession, emptyTranscript, type Transcript } from "../transcript/index.ts";
import { Batch, nextFrame, type Schedule } from "./batch.ts";
import { readNewest, readOlder } from "./history.ts";
import { Refresh } from "./refresh.ts";
import { BaseStore, handled, type Loading, READY } from "./store.ts";

/** The connection to the event stream of a session. */
export type Connection =
  /** Nobody follows the session. */
  | { readonly state: "idle" }
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** `retryAt` is the time of the next attempt, in milliseconds since 1970. */
  | { readonly state: "reconnecting"; readonly retryAt: number; readonly cause: unknown }
  /** The session has ended: everything has been read. */
  | { readonly state: "ended" }
  /** Another attempt would fail the same way. Call `retry` once the reason is gone. */
  | { readonly state: "failed"; readonly error: unknown };

/** An action of the user that failed. */
export interface ActionFailure {
  readonly action: string;
  readonly error: unknown;
}

export interface SessionSnapshot {
  readonly connection: Connection;
  /** The session as the daemon described it last; undefined until it is read. */
  readonly info: SessionInfo | undefined;
  readonly transcript: Transcript;
  /** The state of `loadOlder`. */
  readonly history: Loading;
  /** The newest action that failed, until `dismissFailure` or the next action. */
  readonly failure: ActionFailure | undefined;
}

export interface SessionStoreOptions {
  /** Messages per page of history, 100 by default and 1,000 at most. */
  pageSize?: number | undefined;
  /** Decides when events that have arrived are shown; before the next frame by default. */
  schedule?: Schedule | undefined;
}

const IDLE: Connection = { state: "idle" };
const CONNECTING: Connection = { state: "connecting" };
const LIVE: Connection = { state: "live" };
const ENDED: Connection = { state: "ended" };

/** Events after which the description of the session may differ. */
const DESCRIBED = new Set(["started", "modeChanged", "infoChanged", "turnEnded", "error", "ended"]);

/** Follows one session. All subscribers share one stream. Methods may be called without a subscriber. */
export class SessionStore extends BaseStore<SessionSnapshot> {
  readonly id: string;
  readonly #client: SandboxAgent;
  readonly #pageSize: number;
  readonly #schedule: Schedule;
  #session: Session | undefined;
  #loadingOlder: Promise<void> | undefined;
  /** The part of the store that reads; aborted when nobody follows the session. */
  #reading: AbortSignal | undefined;
  #isLoaded = false;
  /** Counts transcripts that were started from the newest page. */
  #generation = 0;

  constructor(client: SandboxAgent, id: string, options: SessionStoreOptions = {}) {
    super({
      connection: IDLE,
      info: undefined,
      transcript: emptyTranscript(),
      history: READY,
      failure: undefined,
    });
    this.id = id;
    this.#client = client;
    this.#pageSize = options.pageSize ?? 100;
    this.#schedule = options.schedule ?? nextFrame;
  }

  /** Sends a message. Resolves once the daemon has stored it. */
  readonly send = (message: string | InputPart[], options: SendOptions = {}): Promise<Turn> =>
    this.#act("send", async (session) => {
      const turn = session.send(message, options);
      await turn.accepted;
      return turn;
    });

  /** Stops the running turn and withdraws all queued messages. */
  readonly cancel = (): Promise<CancelResult> => this.#act("cancel", (session) => session.cancel());

  /** Withdraws a queued message. */
  readonly withdraw = (messageId: string): Promise<void> =>
    this.#act("withdraw", (session) => session.withdraw(messageId));

  /** Gives queued messages each other's places, so that they begin in this order. */
  readonly reorder = (messageIds: readonly string[]): Promise<SessionInfo> =>
    this.#act("reorder", async (session) => this.#describe(await session.reorder(messageIds)));

  /** Decides on a permission request. Resolves with false if it was decided before. */
  readonly replyPermission = (id: string, reply: PermissionReply): Promise<boolean> =>
    this.#act("replyPermission", (session) => session.replyPermission(id, reply));

  /** Answers a question with one list for each of its parts. Resolves with false if it was decided before. */
  readonly replyQuestion = (
    id: string,
    answers: string[][],
    options: { client?: string | undefined } = {},
  ): Promise<boolean> => this.#act("replyQuestion", (session) => session.replyQuestion(id, answers, options));

  /** Declines to answer a question. Resolves with false if it was decided before. */
  readonly rejectQuestion = (id: string): Promise<boolean> =>
    this.#act("rejectQuestion", (session) => session.rejectQuestion(id));

  /** Changes the title, mode, model, metadata and other settings. */
  readonly change = (patch: SessionPatch): Promise<SessionInfo> =>
    this.#act("change", async (session) => this.#describe(await session.update(patch)));

  /** Continues after a restart of the daemon: starts the agent and releases messages that were held. */
  readonly resume = (): Promise<SessionInfo> =>
    this.#act("resume", async (session) => this.#describe(await session.resume()));

  /** Ends the session and its agent. The history stays. */
  readonly terminate = (): Promise<SessionInfo> =>
    this.#act("terminate", async (session) => this.#describe(await session.terminate()));

  /** Connects again after a failure, or at once while a reconnection is awaited. */
  readonly retry = (): void => this.restart();

  readonly dismissFailure = (): void => this.update({ failure: undefined });

  /** Reads the next older page of history. Does nothing at the beginning of the session. */
  readonly loadOlder = (): Promise<void> => {
    this.#loadingOlder ??= this.#loadOlder().finally(() => {
      this.#loadingOlder = undefined;
    });
    return this.#loadingOlder;
  };

  protected override async run(signal: AbortSignal): Promise<void> {
    this.#reading = signal;
    const backoff = new Backoff();
    const batch = new Batch<UniversalEvent>(this.#schedule, (events) => {
      const { transcript } = this.getSnapshot();
      if (!signal.aborted) this.update({ transcript: applyEvents(transcript, events) });
    });
    signal.addEventListener("abort", () => {
      batch.flush();
      this.update({ connection: IDLE });
    });
    this.update({ connection: CONNECTING });
    while (!signal.aborted) {
      try {
        await this.#load(signal);
        await this.#follow(signal, batch, () => backoff.reset());
        return;
      } catch (error) {
        batch.flush();
        if (signal.aborted) return;
        if (error instanceof GapError) this.#isLoaded = false;
        else if (!isTransient(error) && !(error instanceof TimeoutError)) {
          this.update({ connection: { state: "failed", error } });
          return;
        }
        const delay = backoff.next() ?? 0;
        this.#reconnecting(error, delay);
        await sleep(delay, signal).catch(() => {});
      }
    }
  }

  /** Reads the newest page, or the state of the session if the transcript is there and only has to be continued. */
  async #load(signal: AbortSignal): Promise<void> {
    const session = await this.#open(signal);
    if (this.#isLoaded) {
      this.#describe(await session.refresh({ signal }));
      return;
    }
    const { transcript, info } = await readNewest(session, this.#pageSize, { signal });
    signal.throwIfAborted();
    this.#isLoaded = true;
    this.#generation += 1;
    this.update({ transcript, info, history: READY });
  }

  async #follow(signal: AbortSignal, batch: Batch<UniversalEvent>, onEvent: () => void): Promise<void> {
    const session = await this.#open(signal);
    const { lastEventId: after, ended } = this.getSnapshot().transcript;
    if (ended !== undefined) return this.update({ connection: ENDED });
    const refresh = new Refresh(async () => this.#describe(await session.refresh({ signal })));
    let isAgain = false;
    const onConnect = (): void => {
      if (signal.aborted) return;
      this.update({ connection: LIVE });
      // A restart of the daemon makes no event for an idle session.
      if (isAgain) refresh.request();
      isAgain = true;
    };
    const onReconnect = (cause: unknown, delay: number): void => {
      if (!signal.aborted) this.#reconnecting(cause, delay);
    };
    for await (const event of session.events({ after, signal, onConnect, onReconnect })) {
      onEvent();
      batch.add(event);
      if (DESCRIBED.has(event.type)) refresh.request();
    }
    batch.flush();
    this.update({ connection: ENDED });
  }

  #reconnecting(cause: unknown, delayMs: number): void {
    this.update({ connection: { state: "reconnecting", retryAt: Date.now() + delayMs, cause } });
  }

  #describe(info: SessionInfo): SessionInfo {
    const { transcript, info: known } = this.getSnapshot();
    if (known !== undefined && known.lastEventId > info.lastEventId) return info;
    // Before the first page there is nothing that could be brought up to date.
    if (!this.#isLoaded) this.update({ info });
    else this.update({ info, transcript: applySession(transcript, info) });
    return info;
  }

  async #loadOlder(): Promise<void> {
    const { transcript } = this.getSnapshot();
    if (transcript.older === undefined) return;
    const generation = this.#generation;
    this.update({ history: { state: "loading" } });
    try {
      const signal = this.#reading?.aborted === true ? undefined : this.#reading;
      const prepend = await readOlder(await this.#open(signal), transcript, this.#pageSize, { signal });
      if (generation !== this.#generation) return;
      this.update({ transcript: prepend(this.getSnapshot().transcript), history: READY });
    } catch (error) {
      this.update({ history: { state: "failed", error } });
    }
  }

  async #open(signal?: AbortSignal): Promise<Session> {
    this.#session ??= await this.#client.sessions.get(this.id, { signal });
    return this.#session;
  }

  #act<T>(action: string, perform: (session: Session) => Promise<T>): Promise<T> {
    const run = async (): Promise<T> => {
      this.update({ failure: undefined });
      try {
        return await perform(await this.#open());
      } catch (error) {
        this.update({ failure: { action, error } });
        throw error;
      }
    };
    return handled(run());
  }
}
