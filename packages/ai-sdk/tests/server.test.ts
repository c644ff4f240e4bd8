// The response of a server, read by the AI SDK's own parser and validators.

import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { uiMessageChunkSchema, validateUIMessages } from "ai";
import { SandboxAgent, type Session } from "sandbox-agent";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSession, submitMessages, toUIMessageStream, toUIMessageStreamResponse } from "../src/index.ts";
import { Page, read, say } from "./app.ts";

let daemon: Daemon;
let client: SandboxAgent;

beforeAll(async () => {
  daemon = await startDaemon();
  client = SandboxAgent.open(daemon.connection);
});
afterAll(() => daemon.stop());

test("the response is what the default transport expects, and its message is valid", async () => {
  const question = say("think Hm.\nsay Hello\ntool execute make\nplan");
  const answer = await read(await new Page(client, "served").send(question));
  await validateUIMessages({ messages: [question, answer] });
  expect(answer.parts.find((part) => part.type === "text")).toMatchObject({ text: "Hello", state: "done" });
});

test("a message that cannot be sent is an error of the chat, with the reason", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  await session.terminate();
  const chunks = await toUIMessageStreamResponse(session.send("say too late")).text();
  expect(chunks).toContain('"type":"error"');
  expect(chunks).toContain("ended");
  const init = { onError: () => "sorry" };
  expect(await toUIMessageStreamResponse(session.send("say too late"), init).text()).toContain("sorry");
});

test("a message that is sent again under its id starts one turn", async () => {
  const session = await openSession(client, "once", { agent: "demo" });
  const messages = [say("say only once")];
  const [first, second] = [await submitMessages(session, messages), await submitMessages(session, messages)];
  await Promise.all([read(toUIMessageStream(first)), read(toUIMessageStream(second))]);
  const { events } = await session.eventPage({ types: ["turnStarted"] });
  expect(events.length).toBe(1);
});

test("every chunk is valid, for everything that the demo agent can do", async () => {
  const session = await client.sessions.create({ agent: "demo", permissionMode: "bypass" });
  const script = [
    "think Hm.",
    "say Hello",
    "notice warning Careful",
    "edit notes.txt",
    "fail grep",
    "image send resource",
    "image send audio",
    "image send link",
    "garbage json",
    "compact",
    "usage",
    "stop max_tokens",
  ].join("\n");
  const schema = await (uiMessageChunkSchema as () => Promise<Validator> | Validator)();
  const types = new Set<string>();
  for await (const chunk of toUIMessageStream(session.send(script)) as unknown as AsyncIterable<{
    type: string;
  }>) {
    types.add(chunk.type);
    expect(await schema.validate?.(chunk)).toMatchObject({ success: true });
  }
  expect([...types]).toEqual(
    expect.arrayContaining(["file", "data-notice", "data-usage", "tool-output-error", "finish"]),
  );
});

interface Validator {
  validate?(value: unknown): unknown;
}

test("a client that leaves does not end the turn, and leaves no connection", async () => {
  const session: Session = await client.sessions.create({ agent: "demo" });
  const turn = session.send("say working\nsleep 300\nsay end");
  const reader = toUIMessageStream(turn).getReader();
  await reader.read();
  await reader.cancel();
  expect((await turn.done).text).toBe("end");
  const waiting = session.send("hang");
  await waiting.accepted;
  const resumed = await new Page(client, session.id).resume();
  expect(resumed).not.toBeNull();
  await resumed?.cancel();
  await session.cancel();
});
