// An application with a server, as its author would write it, and the page that talks to it.

import { readUIMessageStream } from "ai";
import type { SandboxAgent } from "sandbox-agent";
import {
  openSession,
  runningTurn,
  type SandboxAgentMessage,
  ServerChatTransport,
  submitMessages,
  TURN_HEADER,
  toUIMessageStreamResponse,
} from "../src/index.ts";

/** Returns the routes of the application as a `fetch`. */
export function serve(client: SandboxAgent): typeof fetch {
  return async (input, init) => {
    const request = new Request(new URL(String(input), "http://app.test"), init);
    if (request.method === "POST") {
      const { id, messages } = (await request.json()) as { id: string; messages: SandboxAgentMessage[] };
      const session = await openSession(client, id, { agent: "demo" });
      return toUIMessageStreamResponse(await submitMessages(session, messages));
    }
    const session = await client.sessions.get(new URL(request.url).pathname.split("/").at(-2) ?? "");
    const turn = await runningTurn(session, { turnId: request.headers.get(TURN_HEADER) });
    return turn === undefined ? new Response(null, { status: 204 }) : toUIMessageStreamResponse(turn);
  };
}

/** A page of the application, opened with these messages. */
export class Page {
  readonly #chatId: string;
  readonly #transport: ServerChatTransport;

  constructor(client: SandboxAgent, chatId: string, messages?: SandboxAgentMessage[]) {
    this.#chatId = chatId;
    this.#transport = new ServerChatTransport({ api: "/api/chat", fetch: serve(client), messages });
  }

  send(...messages: SandboxAgentMessage[]): Promise<ReadableStream> {
    const options = { trigger: "submit-message", messageId: undefined, abortSignal: undefined } as const;
    return this.#transport.sendMessages({ chatId: this.#chatId, messages, ...options });
  }

  resume(): Promise<ReadableStream | null> {
    return this.#transport.reconnectToStream({ chatId: this.#chatId });
  }
}

/** A message of the user. */
export function say(text: string): SandboxAgentMessage {
  return { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] };
}

/** Reads a stream to its end. */
export async function read(stream: ReadableStream | null): Promise<SandboxAgentMessage> {
  let state: SandboxAgentMessage | undefined;
  if (stream === null) throw new Error("there is nothing to resume");
  for await (const next of readUIMessageStream<SandboxAgentMessage>({ stream })) state = next;
  if (state === undefined) throw new Error("the stream has no message");
  return state;
}

export function textOf(message: SandboxAgentMessage | undefined): string {
  return message?.parts.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
}
