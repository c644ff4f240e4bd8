// `useChat` of the AI SDK on a session of the real daemon.

import "../../react/tests/dom.ts";
import { useChat } from "@ai-sdk/react";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import { isToolUIPart } from "ai";
import { SandboxAgent } from "sandbox-agent";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  isAnswered,
  loadMessages,
  SandboxAgentChatTransport,
  type SandboxAgentMessage,
} from "../src/index.ts";
import { textOf } from "./app.ts";

let daemon: Daemon;
let client: SandboxAgent;
const patience = { timeout: 20_000 };

beforeAll(async () => {
  daemon = await startDaemon();
  client = SandboxAgent.open(daemon.connection);
});
afterAll(() => daemon.stop());
afterEach(cleanup);

type Chat = ReturnType<typeof useChat<SandboxAgentMessage>>;

function openChat(
  id: string,
  more: { messages?: SandboxAgentMessage[]; resume?: boolean } = {},
  onStop?: "detach",
): { current: Chat } {
  const { messages } = more;
  const transport = new SandboxAgentChatTransport({ client, session: { agent: "demo" }, onStop, messages });
  const options = { id, transport, sendAutomaticallyWhen: isAnswered, ...more };
  return renderHook(() => useChat<SandboxAgentMessage>(options)).result;
}

const last = (chat: { current: Chat }): SandboxAgentMessage | undefined => chat.current.messages.at(-1);
const toolsIn = (message: SandboxAgentMessage | undefined) => message?.parts.filter(isToolUIPart) ?? [];

async function send(chat: { current: Chat }, text: string): Promise<void> {
  await act(() => chat.current.sendMessage({ text }));
}

test("text, reasoning, a tool, a failed tool, a plan, usage, a file", async () => {
  const chat = openChat("everything");
  await send(
    chat,
    "think Hm.\nsay Hello\ntool execute make\nfail grep\nplan\nimage send\nstream 5 10\nsay bye",
  );
  expect(chat.current.error).toBeUndefined();
  expect(chat.current.status).toBe("ready");
  const message = last(chat);
  const shown = message?.parts.map((part) =>
    part.type === "reasoning" ? `reasoning ${part.text}` : part.type,
  );
  expect(shown?.slice(0, 3)).toEqual(["step-start", "reasoning Hm.", "text"]);
  expect(textOf(message)).toMatch(/^Hello.*1 x+.*bye$/s);
  expect(toolsIn(message).map(({ state }) => state)).toEqual(["output-available", "output-error"]);
  expect(shown).toContain("file");
  const plan = message?.parts.find((part) => part.type === "data-plan");
  expect(plan?.data.entries.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  expect(message?.metadata).toMatchObject({ sessionId: "everything", stopReason: "endTurn" });
  expect(message?.parts.filter((part) => part.type === "text").every((part) => part.state === "done")).toBe(
    true,
  );
});

test.each([
  { approved: true, state: "output-available", said: "went on" },
  { approved: false, state: "output-denied", said: "went on" },
])("an approval: $approved", async ({ approved, state, said }) => {
  const chat = openChat(`approval-${approved}`);
  await send(chat, `say first\npermission Send it off\nsay ${said}`);
  const [tool] = toolsIn(last(chat));
  expect(tool?.state).toBe("approval-requested");
  const approval = tool !== undefined && "approval" in tool ? tool.approval : undefined;
  await act(async () => chat.current.addToolApprovalResponse({ id: approval?.id ?? "", approved }));
  await waitFor(() => expect(textOf(last(chat))).toContain(said), patience);
  await waitFor(() => expect(chat.current.status).toBe("ready"), patience);
  expect(chat.current.messages.length).toBe(2);
  expect(toolsIn(last(chat)).map((part) => part.state)).toEqual([state]);
  expect(textOf(last(chat)).match(/first/g)).toHaveLength(1);
});

test("a question is a tool that the user answers", async () => {
  const chat = openChat("question");
  await send(chat, "question single\nsay thanks");
  const [tool] = toolsIn(last(chat));
  expect(tool).toMatchObject({ toolName: "question", state: "input-available" });
  const output = { answers: [["Green"]] };
  await act(async () =>
    chat.current.addToolOutput({ tool: "question", toolCallId: tool?.toolCallId ?? "", output } as never),
  );
  await waitFor(() => expect(textOf(last(chat))).toContain("thanks"), patience);
  await waitFor(() => expect(chat.current.status).toBe("ready"), patience);
  expect(textOf(last(chat))).toContain("Green");
  expect(toolsIn(last(chat))[0]).toMatchObject({ output: { outcome: "answered", answers: [["Green"]] } });
});

test("stopping the chat cancels the turn", async () => {
  const chat = openChat("stop");
  act(() => void chat.current.sendMessage({ text: "say working\nhang" }));
  await waitFor(() => expect(textOf(last(chat))).toBe("working"), patience);
  await act(() => chat.current.stop());
  const session = await client.sessions.get("stop");
  await waitFor(async () => expect((await session.refresh()).state).toBe("idle"), patience);
  const { events } = await session.eventPage({ types: ["turnEnded"] });
  expect(events[0]?.data).toMatchObject({ turnEnded: { stopReason: "cancelled" } });
});

test("a failure of the agent is an error of the chat", async () => {
  const chat = openChat("failure");
  await send(chat, "say before\nerror -32000 sorry");
  expect(chat.current.status).toBe("error");
  expect(chat.current.error?.message).toContain("sorry");
});

test("a chat that is opened again resumes in the middle of a turn", async () => {
  const before = openChat("resume", {}, "detach");
  await send(before, "say one");
  act(() => void before.current.sendMessage({ text: "say two\nstream 200 10 every 10\nsay end" }));
  // The message of the user contains the same word.
  await waitFor(() => expect(textOf(last(before))).toMatch(/^two/), patience);
  cleanup();

  const session = await client.sessions.get("resume");
  const messages = await loadMessages(session);
  // The answer is already there if it ended before it was cut off.
  expect(messages.map(({ role }) => role).slice(0, 3)).toEqual(["user", "assistant", "user"]);
  expect(textOf(messages[1])).toBe("one");
  const after = openChat("resume", { messages, resume: true });
  await waitFor(() => expect(textOf(last(after))).toMatch(/^two.*end$/s), patience);
  await waitFor(() => expect(after.current.status).toBe("ready"), patience);
  expect(after.current.messages.length).toBe(4);
  expect(textOf(last(after)).match(/(^|x)200 x/g)).toHaveLength(1);
  const stored = await loadMessages(session);
  expect(stored.map(textOf)).toEqual(after.current.messages.map(textOf));
});

test("an answer that ends between loading and resuming is shown", async () => {
  const session = await client.sessions.create({ id: "gap", agent: "demo" });
  const turn = session.send("say first\npermission Send it off\nsay the end");
  const { permissions } = await waitFor(async () => {
    const info = await session.refresh();
    expect(info.permissions).toHaveLength(1);
    return info;
  }, patience);
  const messages = await loadMessages(session);
  expect(messages.map(({ role }) => role)).toEqual(["user"]);
  await session.replyPermission(permissions[0]?.id ?? "", { reply: "once" });
  await turn.done;
  const chat = openChat("gap", { messages, resume: true });
  await waitFor(() => expect(textOf(last(chat))).toMatch(/^first.*the end$/s), patience);
  await waitFor(() => expect(chat.current.status).toBe("ready"), patience);
  const stored = await loadMessages(session);
  expect(chat.current.messages.map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
});
