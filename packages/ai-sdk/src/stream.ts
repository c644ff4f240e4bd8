// A turn as a UI message stream, and as the response of a server.

import { createUIMessageStreamResponse } from "ai";
import type { Session, Turn, UniversalEvent } from "sandbox-agent";
import { type Chunk, ChunkWriter, type Decision } from "./chunks.ts";
import type { SandboxAgentMetadata } from "./message.ts";

/** A part of a session's log that becomes one message. */
export interface TurnPart {
  session: Session;
  turnId: string;
  /** Event to start after. */
  after: number;
  /** `message` starts the message; `continuation` adds to the message that the client has. */
  kind: "message" | "continuation";
  /** Decisions of the client that the log reports after that event. */
  decisions?: readonly Decision[];
}

export interface StreamOptions {
  /** Ends the stream. The turn continues. */
  signal?: AbortSignal | undefined;
}

export interface ResponseOptions
  extends StreamOptions,
    Omit<Parameters<typeof createUIMessageStreamResponse>[0], "stream"> {
  /** Returns the text for the client if the turn cannot be sent or followed; the message of the error by default. */
  onError?: ((error: unknown) => string) | undefined;
}

/** Returns the chunks of a turn, from its message to its end, or until the agent waits for the user. */
export function toUIMessageStream(turn: Turn | TurnPart, options: StreamOptions = {}): ReadableStream<Chunk> {
  const leave = new AbortController();
  const signal =
    options.signal === undefined ? leave.signal : AbortSignal.any([options.signal, leave.signal]);
  let chunks: AsyncGenerator<Chunk> | undefined;
  return new ReadableStream<Chunk>({
    async pull(controller) {
      try {
        chunks ??= read("accepted" in turn ? await partOf(turn) : turn, signal);
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (leave.signal.aborted) return;
        controller.error(error);
      }
    },
    cancel() {
      leave.abort();
    },
  });
}

/**
 * Returns the response to a request of `useChat`. A client that disconnects does not end the turn: it can resume.
 *
 * @example
 * export async function POST(request: Request): Promise<Response> {
 *   const { id, messages } = await request.json();
 *   const session = await openSession(client, id, { agent: "claude" });
 *   return toUIMessageStreamResponse(await submitMessages(session, messages));
 * }
 */
export function toUIMessageStreamResponse(turn: Turn | TurnPart, options: ResponseOptions = {}): Response {
  const { signal, onError = messageOf, ...init } = options;
  const stream = withErrorChunk(toUIMessageStream(turn, { signal }), onError);
  return createUIMessageStreamResponse({ ...init, stream });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Ends a stream that fails with an `error` chunk. A body that breaks off would hide the reason from the client. */
function withErrorChunk(
  stream: ReadableStream<Chunk>,
  onError: (error: unknown) => string,
): ReadableStream<Chunk> {
  const reader = stream.getReader();
  return new ReadableStream<Chunk>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.enqueue({ type: "error", errorText: onError(error) });
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

async function partOf(turn: Turn): Promise<TurnPart> {
  const { turnId, eventId } = await turn.accepted;
  return { session: turn.session, turnId, after: eventId - 1, kind: "message" };
}

async function* read(part: TurnPart, signal: AbortSignal): AsyncGenerator<Chunk> {
  const { session, turnId, kind } = part;
  const metadata: SandboxAgentMetadata = { sessionId: session.id, turnId };
  const pending: Chunk[] = [];
  const writer = new ChunkWriter((chunk) => pending.push(chunk), part.decisions);
  yield { type: "start", messageId: turnId, messageMetadata: metadata };
  yield { type: "start-step" };
  // Requests that were decided before are not asked again.
  const known = await session.refresh({ signal });
  let isRunning = kind === "continuation";
  for await (const event of session.events({ after: part.after, signal })) {
    if (event.type === "messageWithdrawn" && event.data.messageWithdrawn.turnId === turnId) {
      yield { type: "abort", reason: "the message was withdrawn" };
      return;
    }
    isRunning ||= event.type === "turnStarted" && event.data.turnStarted.turnId === turnId;
    if (!isRunning) continue;
    if (event.type === "turnEnded" && event.data.turnEnded.turnId === turnId) {
      writer.end(event.data.turnEnded, { ...metadata, lastEventId: event.id });
      yield* pending;
      return;
    }
    writer.apply(event);
    const waits = isRequest(event) && (await isOpen(event, session, known.lastEventId, signal));
    if (waits) writer.pause();
    yield* pending.splice(0);
    if (!waits) continue;
    yield { type: "finish-step" };
    const messageMetadata = { ...metadata, lastEventId: event.id };
    yield { type: "finish", finishReason: "tool-calls", messageMetadata };
    return;
  }
  yield { type: "error", errorText: "the session ended before its turn" };
}

type RequestEvent = Extract<UniversalEvent, { type: "permissionAsked" | "questionAsked" }>;

function isRequest(event: UniversalEvent): event is RequestEvent {
  return event.type === "permissionAsked" || event.type === "questionAsked";
}

/** Returns whether the agent still waits: a rule may have decided at once, a client long ago. */
async function isOpen(
  event: RequestEvent,
  session: Session,
  knownEventId: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { id } = event.type === "permissionAsked" ? event.data.permissionAsked : event.data.questionAsked;
  const info = event.id <= knownEventId ? session.info : await session.refresh({ signal });
  return [...info.permissions, ...info.questions].some((request) => request.id === id);
}
