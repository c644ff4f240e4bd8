// The turn that a chat follows after a reload or a lost connection.

import type { UIMessageChunk } from "ai";
import type { Session } from "sandbox-agent";
import { eventsIn, type LogRange } from "./log.ts";
import type { SandboxAgentMessage } from "./message.ts";
import type { StreamOptions, TurnPart } from "./stream.ts";

/** Header in which `ServerChatTransport` names the turn whose answer the page lacks. */
export const TURN_HEADER = "sandbox-agent-turn";

/** Events to look at in one request, which is as many as the daemon does. */
const WINDOW = 20_000;

export interface ResumeOptions extends StreamOptions {
  /**
   * Turn whose answer the page lacks. It is returned even if it has ended since the page was loaded. Without it, the turn
   * that runs is returned.
   */
  turnId?: string | null | undefined;
}

/**
 * Returns the turn to resume, from its beginning: the one that the page lacks, or else the one that runs or is about to
 * begin. Returns nothing if there is none.
 */
export async function runningTurn(
  session: Session,
  options: ResumeOptions = {},
): Promise<TurnPart | undefined> {
  const { turnId: wanted, ...request } = options;
  const info = await session.refresh(request);
  const turnId = wanted ?? (info.turn ?? info.queue[0])?.turnId;
  if (turnId === undefined) return undefined;
  const after = await startOf(session, info, turnId, request);
  return after === undefined ? undefined : { session, turnId, after, kind: "message" };
}

/** Returns the event to read after for the whole turn, or nothing if the session has no such turn. */
async function startOf(
  session: Session,
  { turn, queue, lastEventId }: Session["info"],
  turnId: string,
  options: StreamOptions,
): Promise<number | undefined> {
  if (turn?.turnId === turnId) return turn.eventsAfter;
  if (queue.some((message) => message.turnId === turnId)) return lastEventId;
  // A turn that the page lacks has ended just now, so the search begins at the end of the log.
  for (let last = lastEventId; last > 0; last -= WINDOW) {
    const range: LogRange = { after: Math.max(0, last - WINDOW), last, types: ["turnStarted"] };
    for await (const event of eventsIn(session, range, options)) {
      if (event.type === "turnStarted" && event.data.turnStarted.turnId === turnId) return event.id - 1;
    }
  }
  return undefined;
}

/** The turns that chats were opened in, or have begun to receive, until they have all of them. */
export class UnfinishedTurns {
  readonly #turns = new Map<string, string>();

  /** Begins with the messages that a chat is opened with. */
  constructor(messages: readonly SandboxAgentMessage[] = []) {
    const { sessionId, turnId, stopReason } = messages.at(-1)?.metadata ?? {};
    if (sessionId === undefined || turnId === undefined || stopReason !== undefined) return;
    this.#turns.set(sessionId, turnId);
  }

  get(chatId: string): string | undefined {
    return this.#turns.get(chatId);
  }

  /** Forgets a turn that the chat no longer waits for, such as when it sends something else. */
  forget(chatId: string): void {
    this.#turns.delete(chatId);
  }

  /** Returns the same stream, and notes the turn that it brings until its end. */
  watch<Kind extends UIMessageChunk>(chatId: string, stream: ReadableStream<Kind>): ReadableStream<Kind> {
    let turnId: string | undefined;
    const note = (chunk: UIMessageChunk): void => {
      if (chunk.type === "start" && chunk.messageId !== undefined) {
        turnId = chunk.messageId;
        this.#turns.set(chatId, turnId);
      } else if (chunk.type === "finish" || chunk.type === "abort") {
        // A stream that was left may end after the next one has begun.
        if (this.#turns.get(chatId) === turnId) this.#turns.delete(chatId);
      }
    };
    return stream.pipeThrough(
      new TransformStream<Kind, Kind>({
        transform(chunk, controller) {
          note(chunk);
          controller.enqueue(chunk);
        },
      }),
    );
  }
}
