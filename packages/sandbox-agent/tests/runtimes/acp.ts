// The protocol client in every runtime: a conversation over server-sent events that survives a broken connection.

import { AcpPeer, httpTransport, JsonRpcError } from "acp-http-client";
import { check, rejection, same } from "../portable/assert.ts";
import type { Case, Environment } from "../portable/index.ts";

interface Update {
  update: { sessionUpdate: string; content?: { text?: string } };
}

interface Conversation extends AsyncDisposable {
  readonly peer: AcpPeer;
  readonly sessionId: string;
  /** Returns everything that the agent has said. */
  said(): string;
}

async function converse({ baseUrl, token }: Environment): Promise<Conversation> {
  const updates: Update[] = [];
  const peer = new AcpPeer(
    httpTransport({
      url: `${baseUrl}/v1/acp/${crypto.randomUUID()}`,
      headers: { Authorization: `Bearer ${token}` },
      start: { agent: "demo" },
    }),
    {
      onNotification: (method, params) => {
        if (method === "session/update") updates.push(params as Update);
      },
      onRequest: (method) => {
        if (method !== "session/request_permission") throw new JsonRpcError(-32601, `no method ${method}`);
        return { outcome: { outcome: "selected", optionId: "allow_once" } };
      },
    },
  );
  await peer.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const opened = await peer.request<{ sessionId: string }>("session/new", { cwd: "/", mcpServers: [] });
  const text = ({ update }: Update): string =>
    update.sessionUpdate === "agent_message_chunk" ? (update.content?.text ?? "") : "";
  return {
    peer,
    sessionId: opened.sessionId,
    said: () => updates.map(text).join(""),
    [Symbol.asyncDispose]: () => peer.close(),
  };
}

const prompt = ({ sessionId }: Conversation, text: string) => ({
  sessionId,
  prompt: [{ type: "text", text }],
});

export const cases: Case[] = [
  {
    name: "a prompt is answered, and the agent's request is",
    async run(environment) {
      await using conversation = await converse(environment);
      const script = prompt(conversation, "permission Send it\nsay Hello!");
      const { stopReason } = await conversation.peer.request<{ stopReason: string }>(
        "session/prompt",
        script,
      );
      same(stopReason, "end_turn");
      check(
        conversation.said().includes("allow_once"),
        `the permission was not granted: ${conversation.said()}`,
      );
      check(conversation.said().endsWith("Hello!"), `it said ${conversation.said()}`);
    },
  },
  {
    name: "a request that is aborted is cancelled at the agent",
    async run(environment) {
      await using conversation = await converse(environment);
      const abort = new AbortController();
      const hanging = conversation.peer.request("session/prompt", prompt(conversation, "hang"), {
        signal: abort.signal,
      });
      abort.abort(new Error("enough"));
      same((await rejection(hanging, Error)).message, "enough");
      await conversation.peer.request("session/prompt", prompt(conversation, "say back"));
      check(conversation.said().endsWith("back"), `it said ${conversation.said()}`);
    },
  },
  {
    name: "an error of the agent is typed, and closing releases everything",
    async run(environment) {
      const conversation = await converse(environment);
      const refused = conversation.peer.request("session/prompt", { sessionId: "nobody", prompt: [] });
      check((await rejection(refused, JsonRpcError)).code < 0, "an error code");
      await conversation.peer.close();
      await conversation.peer.closed;
    },
  },
];
