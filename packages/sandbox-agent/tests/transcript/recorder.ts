// Records real sessions: everything that a daemon wrote, and what it answered to a client that looked at some moment.

import type { Daemon } from "@sandbox-agent/testkit";
import type {
  EventPage,
  PermissionRequest,
  QuestionRequest,
  Session,
  TranscriptPage,
  UniversalEvent,
} from "../../src/generated/openapi.gen.ts";

/** The answers that a client reads when it opens a session: the newest page, then the session. */
export interface Snapshot {
  page: TranscriptPage;
  session: Session;
  limit: number;
  /** All older pages, read after the first one. */
  older: TranscriptPage[];
}

export interface Recording {
  events: UniversalEvent[];
  quiet: UniversalEvent[];
  snapshots: Snapshot[];
  whole: TranscriptPage;
  session: Session;
}

export function isStreaming({ page }: Snapshot): boolean {
  return page.messages.some((message) => message.state === "streaming");
}

export class Recorder {
  readonly snapshots: Snapshot[] = [];
  readonly #daemon: Daemon;
  readonly #id: string;

  constructor(daemon: Daemon, id: string) {
    this.#daemon = daemon;
    this.#id = id;
  }

  async request<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { ...this.#daemon.headers, "Content-Type": "application/json" };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${this.#daemon.baseUrl}/v1/sessions/${this.#id}${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  create(settings: Record<string, unknown> = {}): Promise<Session> {
    return this.request("POST", "", { agent: "demo", ...settings });
  }

  send(message: string, more: Record<string, unknown> = {}): Promise<{ messageId: string; turnId: string }> {
    return this.request("POST", "/messages", { message, ...more });
  }

  session(): Promise<Session> {
    return this.request("GET", "");
  }

  async events(filter = ""): Promise<UniversalEvent[]> {
    const events: UniversalEvent[] = [];
    for (let after = 0; ; ) {
      const page: EventPage = await this.request("GET", `/events?limit=1000&after=${after}${filter}`);
      events.push(...page.events);
      if (!page.hasMore) return events;
      after = page.next;
    }
  }

  /** Looks at the session as a client does that opens it now. */
  async look(limit: number): Promise<void> {
    const read = (after: string, size = limit): Promise<TranscriptPage> =>
      this.request("GET", `/messages?order=desc&limit=${size}${after}`);
    let page = await read("");
    for (let size = limit * 4; page.hasMore && page.messages.at(-1)?.state === "queued"; size *= 4) {
      page = await read("", size);
    }
    const session = await this.session();
    const older: TranscriptPage[] = [];
    for (let next = page.next; next !== undefined; next = older.at(-1)?.next) {
      older.push(await read(`&after=${next}`));
    }
    this.snapshots.push({ page, session, limit, older });
  }

  /** Looks again and again until the session is as expected. Each look is a snapshot. */
  async until(done: (session: Session) => boolean): Promise<Session> {
    for (let round = 0; ; round += 1) {
      await this.look([1, 3, 1000][round % 3] ?? 1);
      const session = await this.session();
      if (done(session)) return session;
      if (round > 2000) throw new Error(`the session stays ${JSON.stringify(session)}`);
    }
  }

  /** Looks until a message is being written, then at smaller pages of it. */
  async untilStreaming(): Promise<void> {
    do await this.look(1000);
    while (!this.snapshots.slice(-1).some(isStreaming));
    await this.look(1);
    await this.look(3);
  }

  /** Runs one turn to its end, answering what is asked. */
  async turn(script: string): Promise<void> {
    await this.send(script);
    await this.finish();
  }

  /** Waits until nothing runs, and answers what is asked. */
  async finish(): Promise<void> {
    for (;;) {
      const session = await this.until((now) => now.state !== "running" && now.state !== "starting");
      if (session.state !== "requiresAction") return;
      for (const permission of session.permissions) await this.allow(permission);
      for (const question of session.questions) await this.answer(question);
    }
  }

  async allow(permission: PermissionRequest): Promise<void> {
    await this.request("POST", `/permissions/${permission.id}/reply`, { reply: "once" });
  }

  async answer(question: QuestionRequest): Promise<void> {
    const answers = question.questions.map(({ kind, options }) => {
      if (kind === "choice") return [options?.[0]?.label ?? ""];
      return [{ boolean: "true", integer: "7", number: "7" }[kind as string] ?? "some words"];
    });
    await this.request("POST", `/questions/${question.id}/reply`, { answers });
  }

  async stop(): Promise<Recording> {
    const whole: TranscriptPage = await this.request("GET", "/messages?order=asc&limit=1000");
    const [events, quiet] = [await this.events(), await this.events("&deltas=false")];
    return { events, quiet, snapshots: this.snapshots, whole, session: await this.session() };
  }
}

/** A session in which everything happens that the demo agent can do. */
export async function recordEverything(daemon: Daemon): Promise<Recording> {
  const recorder = new Recorder(daemon, "everything");
  await recorder.create();
  await recorder.turn(
    "think They want to see everything.\nsay Hello!\nnotice warning Careful\nsay more\nplan\nedit notes.txt",
  );
  await recorder.turn(
    "permission Send it off\nsay sent\nquestion form\nsay answered\nfail grep\ntool execute make",
  );
  await recorder.turn(
    "title A new name\ncompact\nusage\nimage send\nimage send resource\nimage send audio\nmode plan",
  );
  await recorder.turn(
    "mode bypass\nmodel demo-large\nstream 120 20 every 1\nnotice info done\nstream 40 10 every 2\nsay end",
  );
  await recorder.turn("garbage json\ngarbage text\nsay still here\nstop max_tokens");
  await recorder.turn(
    'ext session/update {"sessionId":"$SESSION","update":{"sessionUpdate":"hologram","depth":3}}',
  );
  await recorder.turn("error -32000 sorry");
  await recorder.turn("say before\ncrash 3");
  await recorder.turn("say after");
  return recorder.stop();
}

/** A queue: messages wait, interrupt, are withdrawn and cancelled. */
export async function recordQueue(daemon: Daemon): Promise<Recording> {
  const recorder = new Recorder(daemon, "queue");
  await recorder.create({ permissionMode: "bypass" });
  await recorder.send("say first\nhang");
  await recorder.until((session) => session.state === "running");
  await recorder.untilStreaming();
  const withdrawn = await recorder.send("say withdrawn");
  const second = await recorder.send("say b\nstream 20 every 2");
  const third = await recorder.send("say c");
  await recorder.look(3);
  await recorder.request("PUT", "/queue", { messageIds: [third.messageId, second.messageId] });
  await recorder.look(3);
  await recorder.request("DELETE", `/messages/${withdrawn.messageId}`);
  await recorder.send("say now", { delivery: "interrupt" });
  await recorder.send("say at once", { delivery: "interrupt" });
  await recorder.finish();
  await recorder.send("say working\nhang");
  await recorder.until((session) => session.state === "running" && session.turn !== undefined);
  await recorder.untilStreaming();
  await recorder.send("say never");
  await recorder.send("say never either");
  await recorder.look(1000);
  await recorder.request("POST", "/cancel");
  await recorder.finish();
  await recorder.request("POST", "/terminate");
  await recorder.look(3);
  return recorder.stop();
}

/** The daemon is killed while a message is being written, with others waiting, and while a permission is open. */
export async function recordRestart(daemon: Daemon): Promise<Recording> {
  const recorder = new Recorder(daemon, "restart");
  await recorder.create();
  await recorder.turn("say one");
  await recorder.send("say before\nstream 4000 10 every 2");
  await recorder.send("say waited");
  await recorder.send("say waited, too");
  await recorder.until((session) => session.lastEventId > 60);
  await daemon.restart();
  await recorder.look(3);
  await recorder.look(1000);
  await recorder.request("POST", "/resume");
  await recorder.finish();
  await recorder.send("permission Send it off");
  await recorder.until((session) => session.state === "requiresAction");
  await daemon.restart();
  await recorder.look(1000);
  await recorder.turn("permission Send it off\nsay end");
  return recorder.stop();
}
