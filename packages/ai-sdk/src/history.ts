// The messages of a session for a chat that is opened again.

import { readUIMessageStream } from "ai";
import type { ParsedMessage, Session, UniversalEvent } from "sandbox-agent";
import { type Chunk, ChunkWriter } from "./chunks.ts";
import { eventsIn } from "./log.ts";
import type { SandboxAgentMessage, SandboxAgentMetadata } from "./message.ts";
import type { StreamOptions } from "./stream.ts";

/** Most events that are read; of a longer session only the newest are. */
const MAX_EVENTS = 20_000;

/**
 * Returns the messages of a session for `useChat`. The answer of a turn that runs is left out. It comes with the stream that
 * `resume` of `useChat` asks for; pass the messages to the transport too, so that it asks for that answer even if it ends
 * in between.
 */
export async function loadMessages(
  session: Session,
  options: StreamOptions = {},
): Promise<SandboxAgentMessage[]> {
  const { turn, queue, lastEventId } = await session.refresh(options);
  const history = new History(session.id);
  const last = turn?.eventsAfter ?? lastEventId;
  const range = { after: Math.max(0, last - MAX_EVENTS), last, deltas: false };
  for await (const event of eventsIn(session, range, options)) await history.apply(event);
  const unanswered = turn ?? queue[0];
  if (unanswered !== undefined) history.begin(unanswered);
  return history.messages;
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
      case "turnStarted":
        this.begin(event.data.turnStarted);
        break;
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

  /** Begins a turn with the message of the user, if the events had it. */
  begin({ turnId, messageId = "" }: { turnId: string; messageId?: string | undefined }): void {
    const message = this.#sent.get(messageId);
    if (message !== undefined)
      this.messages.push(userMessage(message, { sessionId: this.#sessionId, turnId }));
    this.#turn = [];
  }

  #message(event: Extract<UniversalEvent, { type: "message" }>): void {
    const { message } = event.data;
    if (message.role === "user") this.#sent.set(message.id, message);
    else this.#turn?.push(event);
  }
}

function userMessage({ id, parts }: ParsedMessage, metadata: SandboxAgentMetadata): SandboxAgentMessage {
  const text = parts.flatMap((part) =>
    part.type === "text" ? [{ type: "text" as const, text: part.text }] : [],
  );
  return { id, role: "user", metadata, parts: text };
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
