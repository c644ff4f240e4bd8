// The messages of a session for a chat that is opened again.

import { readUIMessageStream } from "ai";
import type { ParsedMessage, Session, UniversalEvent } from "sandbox-agent";
import { type Chunk, ChunkWriter } from "./chunks.ts";
import type { SandboxAgentMessage } from "./message.ts";
import type { StreamOptions, TurnPart } from "./stream.ts";

/** Most events that are read; of a longer session only the newest are. */
const MAX_EVENTS = 20_000;

/**
 * Returns the messages of a session for `useChat`. The message of a turn that runs is left out: it comes with the stream
 * that `runningTurn` or the transport resumes.
 */
export async function loadMessages(
  session: Session,
  options: StreamOptions = {},
): Promise<SandboxAgentMessage[]> {
  const { lastEventId } = await session.refresh(options);
  const history = new History(session.id);
  for await (const event of eventsUntil(session, lastEventId, options)) await history.apply(event);
  return history.messages;
}

/** Returns the turn that runs, from its beginning, or the one that is about to begin; nothing if the session is idle. */
export async function runningTurn(
  session: Session,
  options: StreamOptions = {},
): Promise<TurnPart | undefined> {
  const { turn, queue, lastEventId } = await session.refresh(options);
  if (turn !== undefined) return { session, turnId: turn.turnId, after: turn.eventsAfter, kind: "message" };
  const [next] = queue;
  return next && { session, turnId: next.turnId, after: lastEventId, kind: "message" };
}

async function* eventsUntil(
  session: Session,
  last: number,
  options: StreamOptions,
): AsyncGenerator<UniversalEvent> {
  let after = Math.max(0, last - MAX_EVENTS);
  while (after < last) {
    const page = await session.eventPage({ after, limit: 1_000, deltas: false }, options);
    for (const event of page.events) if (event.id <= last) yield event;
    if (!page.hasMore) return;
    after = page.next;
  }
}

/** Collects the events of each turn until it ends. */
class History {
  readonly messages: SandboxAgentMessage[] = [];
  readonly #sessionId: string;
  readonly #sent = new Map<string, ParsedMessage>();
  #turn: UniversalEvent[] | undefined;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  async apply(event: UniversalEvent): Promise<void> {
    switch (event.type) {
      case "message":
        this.#message(event);
        break;
      case "turnStarted": {
        const message = this.#sent.get(event.data.turnStarted.messageId ?? "");
        if (message !== undefined) this.messages.push(userMessage(message));
        this.#turn = [];
        break;
      }
      case "turnEnded":
        if (this.#turn !== undefined) {
          this.messages.push(await turnMessage(this.#sessionId, this.#turn, event));
        }
        this.#turn = undefined;
        break;
      default:
        this.#turn?.push(event);
    }
  }

  #message(event: Extract<UniversalEvent, { type: "message" }>): void {
    const { message } = event.data;
    if (message.role === "user") this.#sent.set(message.id, message);
    else this.#turn?.push(event);
  }
}

function userMessage({ id, parts }: ParsedMessage): SandboxAgentMessage {
  const text = parts.flatMap((part) =>
    part.type === "text" ? [{ type: "text" as const, text: part.text }] : [],
  );
  return { id, role: "user", parts: text };
}

type TurnEndedEvent = Extract<UniversalEvent, { type: "turnEnded" }>;

async function turnMessage(
  sessionId: string,
  events: readonly UniversalEvent[],
  end: TurnEndedEvent,
): Promise<SandboxAgentMessage> {
  const { turnId } = end.data.turnEnded;
  const chunks: Chunk[] = [{ type: "start", messageId: turnId }, { type: "start-step" }];
  const writer = new ChunkWriter((chunk) => chunks.push(chunk));
  for (const event of events) writer.apply(event);
  writer.end(end.data.turnEnded, { sessionId, turnId, lastEventId: end.id });
  let message: SandboxAgentMessage = { id: turnId, role: "assistant", parts: [] };
  // A failure is an error of the chat only while it happens.
  const stream = streamOf(chunks.filter(({ type }) => type !== "error" && type !== "abort"));
  for await (const state of readUIMessageStream<SandboxAgentMessage>({ stream })) message = state;
  return message;
}

function streamOf(chunks: readonly Chunk[]): ReadableStream<Chunk> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}
