// The client of one agent against the real daemon: gates, every method, metadata, requests of the agent.

import { randomUUID } from "node:crypto";
import { binary, type Daemon, startDaemon } from "@sandbox-agent/testkit";
import {
  AgentCallError,
  AlreadyConnectedError,
  type ClientEvents,
  InvalidRequestError,
  NotConnectedError,
  SandboxAgentClient,
  type SandboxAgentClientOptions,
  TokenInvalidError,
  UnsupportedAgentError,
  UnsupportedCallError,
} from "sandbox-agent";
import { UnknownSessionError } from "sandbox-agent/persist";
import { memory } from "sandbox-agent/persist/memory";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

let daemon: Daemon;
const cwd = "/tmp";

beforeAll(async () => {
  const agent = new URL("garbled-agent.mjs", import.meta.url).pathname;
  daemon = await startDaemon({ flags: ["--agent", `garbled=${process.execPath} ${agent}`] });
});

afterAll(() => daemon?.stop());

function open(options: Partial<SandboxAgentClientOptions> = {}): SandboxAgentClient {
  const client = new SandboxAgentClient({ ...daemon.connection, agent: "demo", ...options });
  onTestFinished(() => client.disconnect());
  return client;
}

function collect<K extends keyof ClientEvents>(client: SandboxAgentClient, name: K): ClientEvents[K][] {
  const events: ClientEvents[K][] = [];
  client.on(name, (event) => events.push(event));
  return events;
}

const textOf = (events: ClientEvents["sessionUpdate"][]): string =>
  events
    .filter(({ kind }) => kind === "agent_message_chunk")
    .map(({ update }) => (update["content"] as { text: string }).text)
    .join("");

test("the constructor connects by itself", async () => {
  const client = open();
  const updates = collect(client, "sessionUpdate");
  const { sessionId } = await client.newSession({ cwd });
  expect(client.isConnected).toBe(true);
  const { stopReason } = await client.prompt({ sessionId, prompt: "say hello" });
  expect(stopReason).toBe("end_turn");
  expect(textOf(updates)).toBe("hello");
  await expect(client.connect()).rejects.toThrow(AlreadyConnectedError);
  await client.ready;
});

test("without autoConnect every call is refused until connect, and again after disconnect", async () => {
  const client = open({ autoConnect: false });
  const sessionId = "x";
  const calls = {
    newSession: () => client.newSession({ cwd }),
    loadSession: () => client.loadSession({ sessionId, cwd }),
    resumeSession: () => client.resumeSession({ sessionId, cwd }),
    forkSession: () => client.forkSession({ sessionId, cwd }),
    prompt: () => client.prompt({ sessionId, prompt: "say x" }),
    cancel: () => client.cancel({ sessionId }),
    setSessionMode: () => client.setSessionMode({ sessionId, modeId: "plan" }),
    setSessionConfigOption: () => client.setSessionConfigOption({ sessionId, configId: "model", value: "x" }),
    setSessionModel: () => client.setSessionModel({ sessionId, modelId: "x" }),
    listModels: () => client.listModels({ sessionId }),
    listSessions: () => client.listSessions(),
    setMetadata: () => client.setMetadata({ sessionId, metadata: {} }),
    detachSession: () => client.detachSession({ sessionId }),
    terminateSession: () => client.terminateSession({ sessionId }),
  };
  const refused = async (): Promise<unknown[]> => {
    const outcomes = await Promise.allSettled(Object.values(calls).map((call) => call()));
    return outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : outcome));
  };
  for (const error of await refused()) expect(error).toBeInstanceOf(NotConnectedError);
  expect((await client.health()).status).toBe("ok");
  await client.connect();
  await expect(client.connect()).rejects.toThrow(AlreadyConnectedError);
  const opened = await client.newSession({ cwd });
  const pending = client
    .prompt({ sessionId: opened.sessionId, prompt: "hang" })
    .catch((error: unknown) => error);
  await client.disconnect();
  expect(await pending).toBeInstanceOf(NotConnectedError);
  await client.disconnect();
  for (const error of await refused()) expect(error).toBeInstanceOf(NotConnectedError);
  await client.connect();
  await client.newSession({ cwd });
});

test("a connection that cannot be made says why", async () => {
  const unknown = open({ agent: "nobody" });
  await expect(unknown.ready).rejects.toThrow(UnsupportedAgentError);
  const error = await unknown.newSession({ cwd }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(NotConnectedError);
  expect((error as Error).cause).toBeInstanceOf(UnsupportedAgentError);
  await expect(open({ token: "wrong" }).ready).rejects.toThrow(TokenInvalidError);
  await expect(open({ serverId: "not / valid" }).ready).rejects.toThrow(InvalidRequestError);
});

test("metadata goes to the agent in its namespace and comes back as fields", async () => {
  const client = open({ agent: "garbled", persist: memory() });
  const metadata = { variant: "high", skills: ["a"], permissionMode: "plan" };
  const opened = await client.newSession({ cwd, title: "A title", metadata });
  expect(opened.metadata).toEqual({ agent: "garbled", title: "A title", ...metadata });
  const { sessions } = await client.listSessions();
  expect(sessions).toMatchObject([
    { sessionId: "only", agent: "garbled", title: "A title", cwd, ended: false, metadata },
  ]);
  const changed = await client.setMetadata({
    sessionId: "only",
    metadata: { title: "Another", model: "m1", mode: "plan", variant: null, more: { deep: [1] } },
  });
  expect(changed).toMatchObject({ title: "Another", model: "m1", mode: "plan" });
  expect(changed.metadata).toEqual({
    skills: ["a"],
    permissionMode: "plan",
    title: "Another",
    model: "m1",
    mode: "plan",
    more: { deep: [1] },
  });
  await expect(client.setMetadata({ sessionId: "nobody", metadata: {} })).rejects.toThrow(
    UnknownSessionError,
  );
});

test("lines that are no messages are events, and calls continue", async () => {
  const client = open({ agent: "garbled" });
  const errors = collect(client, "parseError");
  await client.newSession({ cwd });
  expect((await client.prompt({ sessionId: "only", prompt: "x" })).stopReason).toBe("end_turn");
  expect(errors.length).toBeGreaterThanOrEqual(2);
  expect(errors[0]).toMatchObject({ raw: "this is no message", truncated: false });
  await expect(client.forkSession({ sessionId: "only" })).rejects.toThrow(UnsupportedCallError);
  const demo = open();
  const garbage = collect(demo, "parseError");
  const { sessionId } = await demo.newSession({ cwd });
  await demo.prompt({ sessionId, prompt: "garbage text\nsay after" });
  expect(garbage).toHaveLength(1);
});

test("models, modes and settings can be listed and changed", async () => {
  const client = open();
  const { sessionId, modes, configOptions, mode } = await client.newSession({ cwd });
  expect(modes.map(({ id }) => id)).toEqual(["ask", "plan", "bypass"]);
  expect(mode).toBe("bypass");
  expect(configOptions.map(({ id }) => id)).toContain("effort");
  const { models, current } = await client.listModels({ sessionId });
  expect(models.map(({ id }) => id)).toEqual(["demo-small", "demo-medium", "demo-large"]);
  expect(current).toBe("demo-medium");
  await client.setSessionModel({ sessionId, modelId: "demo-large" });
  expect((await client.listModels({ sessionId })).current).toBe("demo-large");
  await client.setSessionMode({ sessionId, modeId: "plan" });
  const options = await client.setSessionConfigOption({ sessionId, configId: "effort", value: "high" });
  expect(options.find(({ id }) => id === "effort")?.value).toBe("high");
  expect((await client.listSessions()).sessions[0]).toMatchObject({ model: "demo-large", mode: "plan" });
  const refused = client.setSessionModel({ sessionId, modelId: "no-such-model" });
  await expect(refused).rejects.toThrow(AgentCallError);
});

test("sessions are loaded with their history, resumed without, and forked", async () => {
  const persist = memory();
  const first = open({ persist });
  const { sessionId } = await first.newSession({ cwd, metadata: { team: "web" } });
  await first.prompt({ sessionId, prompt: "say remember" });
  const fork = await first.forkSession({ sessionId, metadata: { copy: true } });
  expect(fork.sessionId).not.toBe(sessionId);
  expect(fork.metadata).toMatchObject({ copy: true });
  await first.disconnect();
  const second = open({ persist });
  const updates = collect(second, "sessionUpdate");
  const loaded = await second.loadSession({ sessionId });
  expect(loaded.metadata).toMatchObject({ team: "web" });
  expect(textOf(updates)).toBe("remember");
  updates.length = 0;
  await second.resumeSession({ sessionId: fork.sessionId });
  await second.prompt({ sessionId: fork.sessionId, prompt: "say forked" });
  expect(textOf(updates.filter((update) => update.sessionId === fork.sessionId))).toBe("forked");
  const { sessions } = await second.listSessions();
  expect(sessions.map((session) => session.sessionId).sort()).toEqual([sessionId, fork.sessionId].sort());
  await expect(second.loadSession({ sessionId: randomUUID(), cwd })).rejects.toThrow(AgentCallError);
});

test("a turn is cancelled by cancel and by a signal", async () => {
  const client = open();
  const updates = collect(client, "sessionUpdate");
  const { sessionId } = await client.newSession({ cwd });
  const turn = client.prompt({ sessionId, prompt: "say on\nhang" });
  await expect.poll(() => textOf(updates)).toBe("on");
  await client.cancel({ sessionId });
  expect((await turn).stopReason).toBe("cancelled");
  const controller = new AbortController();
  const aborted = client.prompt({ sessionId, prompt: "hang" }, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  expect((await client.prompt({ sessionId, prompt: "say again" })).stopReason).toBe("end_turn");
});

test("a detached session is silent, a terminated one has ended", async () => {
  const client = open();
  const updates = collect(client, "sessionUpdate");
  const ended = collect(client, "sessionEnded");
  const one = await client.newSession({ cwd });
  const other = await client.newSession({ cwd });
  await client.detachSession({ sessionId: one.sessionId });
  updates.length = 0;
  await client.prompt({ sessionId: one.sessionId, prompt: "say unheard" });
  expect(updates).toEqual([]);
  await client.terminateSession({ sessionId: other.sessionId });
  expect(ended).toEqual([{ sessionId: other.sessionId, reason: "terminated" }]);
  const { sessions } = await client.listSessions();
  const states = Object.fromEntries(sessions.map(({ sessionId, ended: isEnded }) => [sessionId, isEnded]));
  expect(states).toEqual({ [one.sessionId]: false, [other.sessionId]: true });
});

test("permissions and questions are answered; without a listener they are rejected", async () => {
  const client = open();
  const updates = collect(client, "sessionUpdate");
  const { sessionId } = await client.newSession({ cwd });
  await client.prompt({ sessionId, prompt: "permission Unheard" });
  expect(textOf(updates)).toMatch(/reject/i);
  const remove = client.on("permissionRequest", (ask) => ask.allowOnce());
  updates.length = 0;
  await client.prompt({ sessionId, prompt: "permission Send it" });
  expect(textOf(updates)).toContain("allow_once");
  remove();
  client.on("permissionRequest", () => {
    throw new Error("a bug of the application");
  });
  const errors = collect(client, "error");
  updates.length = 0;
  await client.prompt({ sessionId, prompt: "permission Once more" });
  expect(textOf(updates)).toMatch(/reject/i);
  expect(errors).toHaveLength(1);
  const asked: string[] = [];
  client.on("question", (ask) => {
    asked.push(Object.keys(ask.schema["properties"] as object).join());
    ask.reply({ question_1: "Green" });
  });
  updates.length = 0;
  await client.prompt({ sessionId, prompt: "question single" });
  expect(asked).toEqual(["question_1,question_1_custom"]);
  expect(textOf(updates)).toContain("Green");
});

test("the user can leave a permission and a question undecided", async () => {
  const client = open();
  const updates = collect(client, "sessionUpdate");
  client.on("permissionRequest", (ask) => ask.cancel());
  client.on("question", (ask) => ask.cancel());
  const { sessionId } = await client.newSession({ cwd });
  for (const prompt of ["permission Send it", "question single"]) {
    updates.length = 0;
    await client.prompt({ sessionId, prompt });
    expect(textOf(updates)).toMatch(/cancel/i);
  }
});

test("a listener that throws harms nobody, and updates are stored", async () => {
  const persist = memory();
  const client = open({ persist });
  client.on("sessionUpdate", () => {
    throw new Error("a bug of the application");
  });
  client.on("sessionUpdate", () => Promise.reject(new Error("another one")));
  const updates = collect(client, "sessionUpdate");
  const { sessionId } = await client.newSession({ cwd });
  await client.prompt({ sessionId, prompt: "stream 50" });
  expect(textOf(updates)).toContain("50");
  await client.disconnect();
  const record = await persist.get(sessionId);
  expect(record?.eventCount).toBeGreaterThan(50);
  const stored = await persist.read(sessionId);
  expect(stored.filter(({ data }) => JSON.stringify(data).includes("agent_message_chunk"))).toHaveLength(50);
});

test("connect without an address starts a daemon, which ends with the client", async () => {
  const spawn = { binary, env: { HOME: daemon.home, PATH: process.env["PATH"] ?? "" } };
  const client = await SandboxAgentClient.connect({ agent: "demo", spawn });
  const { sessionId } = await client.newSession({ cwd });
  expect((await client.prompt({ sessionId, prompt: "say x" })).stopReason).toBe("end_turn");
  expect((await client.agents.get("demo")).id).toBe("demo");
  await client.disconnect();
  await expect(client.health({ timeoutMs: 500 })).rejects.toThrow();
});
