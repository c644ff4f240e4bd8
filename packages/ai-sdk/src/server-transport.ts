// A transport that connects `useChat` to the routes of a server, which talks to the daemon.

import { DefaultChatTransport, type UIMessageChunk } from "ai";
import type { SandboxAgentMessage } from "./message.ts";
import { TURN_HEADER, UnfinishedTurns } from "./resume.ts";

type DefaultTransport = DefaultChatTransport<SandboxAgentMessage>;
type DefaultOptions = NonNullable<ConstructorParameters<typeof DefaultChatTransport<SandboxAgentMessage>>[0]>;

export interface ServerChatTransportOptions extends DefaultOptions {
  /** Messages that the page is opened with, from `loadMessages`. */
  messages?: readonly SandboxAgentMessage[] | undefined;
}

/**
 * The default transport of `useChat`. When it resumes, it also names the turn whose answer the page lacks, in the header
 * `TURN_HEADER`. Pass that to `runningTurn`, so that an answer that ended in between is sent too.
 *
 * @example
 * const transport = new ServerChatTransport({ messages });
 * const chat = useChat<SandboxAgentMessage>({ id, messages, transport, resume: true });
 */
export class ServerChatTransport extends DefaultChatTransport<SandboxAgentMessage> {
  readonly #unfinished: UnfinishedTurns;

  constructor({ messages, ...options }: ServerChatTransportOptions = {}) {
    super(options);
    this.#unfinished = new UnfinishedTurns(messages);
  }

  override async sendMessages(
    options: Parameters<DefaultTransport["sendMessages"]>[0],
  ): Promise<ReadableStream<UIMessageChunk>> {
    this.#unfinished.forget(options.chatId);
    return this.#unfinished.watch(options.chatId, await super.sendMessages(options));
  }

  override async reconnectToStream(
    options: Parameters<DefaultTransport["reconnectToStream"]>[0],
  ): Promise<ReadableStream<UIMessageChunk> | null> {
    const turnId = this.#unfinished.get(options.chatId);
    const headers = new Headers(options.headers);
    if (turnId !== undefined) headers.set(TURN_HEADER, turnId);
    const stream = await super.reconnectToStream({ ...options, headers });
    return stream && this.#unfinished.watch(options.chatId, stream);
  }
}
