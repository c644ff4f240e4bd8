// A transport that connects `useChat` to a daemon without a server in between.

import type { ChatTransport } from "ai";
import type { CreateOptions, SandboxAgent, Session, Turn } from "sandbox-agent";
import type { Chunk } from "./chunks.ts";
import type { SandboxAgentMessage } from "./message.ts";
import { runningTurn, UnfinishedTurns } from "./resume.ts";
import { type TurnPart, toUIMessageStream } from "./stream.ts";
import { openSession, submitMessages } from "./submit.ts";

export interface SandboxAgentChatTransportOptions {
  client: SandboxAgent;
  /** Settings of the sessions that are created. The id of a session is the id of its chat. */
  session: Omit<CreateOptions, "id">;
  /**
   * Effect of stopping the chat: `cancel` (the default) cancels the turn, `detach` lets it run. `useChat` also stops
   * its chat when the component unmounts; use `detach` if turns should outlive that, and `session.cancel` to cancel.
   */
  onStop?: "cancel" | "detach" | undefined;
  /** Messages that the page is opened with, from `loadMessages`. */
  messages?: readonly SandboxAgentMessage[] | undefined;
}

type SendOptions = Parameters<ChatTransport<SandboxAgentMessage>["sendMessages"]>[0];
type ReconnectOptions = Parameters<ChatTransport<SandboxAgentMessage>["reconnectToStream"]>[0];

/**
 * Sends the messages of `useChat` to a session. Stopping the chat cancels the turn; reloading the page does not, and
 * `resume` follows the turn again, or replays it if it has ended since.
 *
 * @example
 * const transport = new SandboxAgentChatTransport({ client, session: { agent: "claude", cwd: "/repo" } });
 * const chat = useChat<SandboxAgentMessage>({ id, transport, sendAutomaticallyWhen: isAnswered });
 */
export class SandboxAgentChatTransport implements ChatTransport<SandboxAgentMessage> {
  /** A stream that is resumed starts with the beginning of the turn. */
  readonly resumeStreamIsReplay = true;
  readonly #options: SandboxAgentChatTransportOptions;
  readonly #unfinished: UnfinishedTurns;

  constructor(options: SandboxAgentChatTransportOptions) {
    this.#options = options;
    this.#unfinished = new UnfinishedTurns(options.messages);
  }

  async sendMessages({
    chatId,
    messages,
    trigger,
    abortSignal,
  }: SendOptions): Promise<ReadableStream<Chunk>> {
    this.#unfinished.forget(chatId);
    const { client, session: create } = this.#options;
    const session = await openSession(client, chatId, create, { signal: abortSignal });
    const turn = await submitMessages(session, messages, { trigger });
    return this.#follow(session, turn, abortSignal);
  }

  async reconnectToStream({ chatId, abortSignal }: ReconnectOptions): Promise<ReadableStream<Chunk> | null> {
    const options = { signal: abortSignal };
    const session = await this.#options.client.sessions.get(chatId, options);
    const turn = await runningTurn(session, { ...options, turnId: this.#unfinished.get(chatId) });
    return turn === undefined ? null : this.#follow(session, turn, abortSignal);
  }

  #follow(session: Session, turn: Turn | TurnPart, signal: AbortSignal | undefined): ReadableStream<Chunk> {
    if (this.#options.onStop !== "detach") {
      const onAbort = (): void => void cancel(session, turn).catch(() => {});
      if (signal?.aborted === true) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    }
    return this.#unfinished.watch(session.id, toUIMessageStream(turn, { signal }));
  }
}

/** Cancels a turn. Another turn that runs meanwhile is left alone. */
async function cancel(session: Session, turn: Turn | TurnPart): Promise<void> {
  if ("accepted" in turn) return turn.cancel();
  await session.refresh();
  await session.turn(turn.turnId)?.cancel();
}
