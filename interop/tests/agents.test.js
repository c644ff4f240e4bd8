// Agents as the published client `sandbox-agent` of a peer product sees them: listed, described, installed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SandboxAgent } from "sandbox-agent";
import { BINARY, TOKEN, startDaemon } from "../harness/daemon.js";
import { PUBLISHED, startMirror } from "../harness/mirror.js";
import { text } from "../harness/speech.js";
import { within } from "../harness/wait.js";

/** Every fact that the client knows of an agent. */
const CAPABILITIES = [
  "commandExecution", "errorEvents", "fileAttachments", "fileChanges", "images", "itemStarted", "mcpTools", "permissions",
  "planMode", "questions", "reasoning", "sessionLifecycle", "sharedProcess", "status", "streamingDeltas", "textMessages",
  "toolCalls", "toolResults",
];

let daemon;
let mirror;
before(async () => {
  mirror = await startMirror();
  mirror.publish("1.0.0", `exec '${BINARY}' acp demo`);
  daemon = await startDaemon({ tables: PUBLISHED, flags: ["--mirror", mirror.url] });
});
after(async () => {
  await daemon.stop();
  await mirror.stop();
});

async function connect(t) {
  const client = await SandboxAgent.connect({ baseUrl: daemon.url, token: TOKEN });
  t.after(() => client.dispose());
  return client;
}

test("every agent is listed in the shape that the client knows", async (t) => {
  const { agents } = await (await connect(t)).listAgents();
  const ids = agents.map((agent) => agent.id);
  for (const id of ["claude", "codex", "opencode", "amp", "demo", "published"]) assert.ok(ids.includes(id), id);
  for (const agent of agents) {
    assert.deepEqual(Object.keys(agent.capabilities).sort(), CAPABILITIES, agent.id);
    assert.ok(Object.values(agent.capabilities).every((fact) => typeof fact === "boolean"), agent.id);
    assert.deepEqual([typeof agent.installed, typeof agent.credentialsAvailable], ["boolean", "boolean"], agent.id);
  }
});

test("one agent is described, with what it offers when that is asked for", async (t) => {
  const client = await connect(t);
  const demo = await client.getAgent("demo");
  assert.deepEqual([demo.id, demo.installed, demo.credentialsAvailable], ["demo", true, true]);
  assert.equal(demo.configOptions, undefined);
  const asked = await client.getAgent("demo", { config: true });
  assert.deepEqual(asked.configOptions.map((option) => option.id), ["mode", "model", "effort"]);
  const listed = (await client.listAgents({ config: true })).agents.find((agent) => agent.id === "demo");
  assert.deepEqual(listed.configOptions, asked.configOptions);
  await assert.rejects(client.getAgent("nobody"), { status: 404 });
});

test("an agent is installed, at the version asked for, and then used", async (t) => {
  const client = await connect(t);
  assert.equal((await client.getAgent("published")).installed, false);
  const installed = await client.installAgent("published");
  assert.equal(installed.already_installed, false);
  const [artifact] = installed.artifacts;
  assert.deepEqual([artifact.kind, artifact.source, artifact.version], ["native_agent", "vendor", "1.0.0"]);
  const { path, version } = await client.getAgent("published");
  assert.deepEqual([path, version], [artifact.path, "1.0.0"]);
  assert.equal((await client.installAgent("published", { agentVersion: "1.0.0" })).already_installed, true);

  mirror.publish("1.1.0", `exec '${BINARY}' acp demo`);
  const newer = await client.installAgent("published", { reinstall: true, agentProcessVersion: "ignored" });
  assert.deepEqual([newer.already_installed, newer.artifacts[0].version], [false, "1.1.0"]);

  const session = await within("createSession", client.createSession({ agent: "published", cwd: daemon.home }));
  const response = await within("the answer", session.prompt(text("say hello")));
  assert.equal(response.stopReason, "end_turn");
  assert.equal((await client.getAgent("published")).serverStatus.status, "running");
});

test("an installation that fails rejects with the daemon's problem", async (t) => {
  const client = await connect(t);
  await assert.rejects(client.installAgent("nobody"), { status: 404 });
  const failure = await client.installAgent("published", { agentVersion: "9.9.9" }).catch((error) => error);
  assert.equal(failure.status, 404);
  assert.equal(failure.problem?.type, "urn:sandbox-agent:error:version_not_found");
  assert.equal((await client.installAgent("demo")).already_installed, true, "built in");
});
