// A transport that connects `useChat` to a daemon without a server in between.

import type { ChatTransport } from "ai";
import type { CreateOptions, SandboxAgent, Session, Turn } from "sandbox-agent";
import type { Chunk } from "./chunks.ts";
import { runningTurn } from "./history.ts";
import type { SandboxAgentMessage } from "./message.ts";
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
}

type SendOptions = Parameters<ChatTransport<SandboxAgentMessage>["sendMessages"]>[0];
type ReconnectOptions = Parameters<ChatTransport<SandboxAgentMessage>["reconnectToStream"]>[0];

/**
 * Sends the messages of `useChat` to a session. Stopping the chat cancels the turn; reloading the page does not, and
 * `resume` follows the turn again.
 *
 * @example
 * const transport = new SandboxAgentChatTransport({ client, session: { agent: "claude", cwd: "/repo" } });
 * const chat = useChat<SandboxAgentMessage>({ id, transport, sendAutomaticallyWhen: isAnswered });
 */
export class SandboxAgentChatTransport implements ChatTransport<SandboxAgentMessage> {
  /** A stream that is resumed starts with the beginning of the turn. */
  readonly resumeStreamIsReplay = true;
  readonly #options: SandboxAgentChatTransportOptions;

  constructor(options: SandboxAgentChatTransportOptions) {
    this.#options = options;
  }

  async sendMessages({
    chatId,
    messages,
    trigger,
    abortSignal,
  }: SendOptions): Promise<ReadableStream<Chunk>> {
    const { client, session: create } = this.#options;
    const session = await openSession(client, chatId, create, { signal: abortSignal });
    const turn = await submitMessages(session, messages, { trigger });
    return this.#follow(session, turn, abortSignal);
  }

  async reconnectToStream({ chatId, abortSignal }: ReconnectOptions): Promise<ReadableStream<Chunk> | null> {
    const options = { signal: abortSignal };
    const session = await this.#options.client.sessions.get(chatId, options);
    const turn = await runningTurn(session, options);
    return turn === undefined ? null : this.#follow(session, turn, abortSignal);
  }

  #follow(session: Session, turn: Turn | TurnPart, signal: AbortSignal | undefined): ReadableStream<Chunk> {
    if (this.#options.onStop === "detach") return toUIMessageStream(turn, { signal });
    const cancel = "accepted" in turn ? () => turn.cancel() : () => session.cancel();
    const onAbort = (): void => void cancel().catch(() => {});
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    return toUIMessageStream(turn, { signal });
  }
}
