// The client of one agent when the agent crashes, when the daemon is killed, and when others use the same agent.

import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { AgentEndedError, type ClientEvents, SandboxAgentClient, SandboxAgentError } from "sandbox-agent";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

let daemon: Daemon;
const cwd = "/tmp";

beforeAll(async () => {
  daemon = await startDaemon();
});

afterAll(() => daemon?.stop());

function open(serverId?: string, answerRequests = true): SandboxAgentClient {
  const retry = { initialMs: 20, maxMs: 200, attempts: 30 };
  const client = new SandboxAgentClient({
    ...daemon.connection,
    agent: "demo",
    serverId,
    answerRequests,
    retry,
  });
  onTestFinished(() => client.disconnect());
  return client;
}

test("an agent that crashes ends the prompt and its sessions, and the next prompt continues", async () => {
  const client = open();
  const ended: ClientEvents["sessionEnded"][] = [];
  client.on("sessionEnded", (event) => ended.push(event));
  const { sessionId } = await client.newSession({ cwd });
  await client.prompt({ sessionId, prompt: "say before" });
  const error = await client.prompt({ sessionId, prompt: "crash 3" }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AgentEndedError);
  expect(error).toMatchObject({ exit: { code: 3 } });
  expect(ended).toMatchObject([{ sessionId, reason: "agentEnded", exit: { code: 3 } }]);
  expect((await client.prompt({ sessionId, prompt: "say after" })).stopReason).toBe("end_turn");
  expect(client.isConnected).toBe(true);
});

test("a daemon that is killed settles all calls, and the client recovers once it is back", async () => {
  const client = open();
  const { sessionId } = await client.newSession({ cwd });
  await client.prompt({ sessionId, prompt: "say before" });
  const pending = client.prompt({ sessionId, prompt: "hang" }).catch((reason: unknown) => reason);
  await daemon.restart();
  expect(await pending).toBeInstanceOf(SandboxAgentError);
  const texts: string[] = [];
  client.on("sessionUpdate", ({ update }) => texts.push(JSON.stringify(update)));
  expect((await client.prompt({ sessionId, prompt: "say after" })).stopReason).toBe("end_turn");
  expect(texts.join()).toContain("after");
});

test("two clients share one agent: each gets its own answers, both see the updates", async () => {
  const [one, other] = [open("shared-agent"), open("shared-agent", false)];
  await Promise.all([one.ready, other.ready]);
  const [first, second] = await Promise.all([one.newSession({ cwd }), other.newSession({ cwd })]);
  expect(first.sessionId).not.toBe(second.sessionId);
  const seen: string[] = [];
  other.on("sessionUpdate", ({ sessionId }) => seen.push(sessionId));
  one.on("permissionRequest", (ask) => ask.allowOnce());
  const results = await Promise.all([
    one.prompt({ sessionId: first.sessionId, prompt: "permission Go" }),
    other.prompt({ sessionId: second.sessionId, prompt: "say two" }),
  ]);
  expect(results.map(({ stopReason }) => stopReason)).toEqual(["end_turn", "end_turn"]);
  expect(seen).toContain(first.sessionId);
  expect((await one.listSessions()).sessions).toHaveLength(1);
});
