// The published client `sandbox-agent` of a peer product, unchanged, against the daemon.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AcpHttpClient } from "acp-http-client";
import { SandboxAgent } from "sandbox-agent";
import { TOKEN, startDaemon } from "../harness/daemon.js";
import { counted, said, text } from "../harness/speech.js";
import { until, within } from "../harness/wait.js";

let daemon;
before(async () => {
  daemon = await startDaemon();
});
after(() => daemon.stop());

/** A client that is disposed of with the test. */
async function connect(t) {
  const client = await SandboxAgent.connect({ baseUrl: daemon.url, token: TOKEN });
  t.after(() => client.dispose());
  return client;
}

async function createSession(client, options = {}) {
  return within("createSession", client.createSession({ agent: "demo", cwd: daemon.home, ...options }));
}

/** Collects what the agent says in a session from now on. */
function listen(session) {
  const updates = [];
  session.onEvent(({ payload }) => {
    if (payload.method === "session/update") updates.push(payload.params.update);
  });
  return () => said(updates);
}

/** Prompts and waits until all of `expected` was said; events may come after the response. */
async function ask(session, words, expected) {
  const heard = listen(session);
  const response = await within(`the answer to ${words.slice(0, 40)}`, session.prompt(text(words)));
  await until(`the agent has said ${expected.slice(0, 40)}`, () => heard().includes(expected));
  return { response, heard: heard() };
}

test("it finds the daemon healthy and its agents", async (t) => {
  const client = await connect(t);
  assert.equal((await client.getHealth()).status, "ok");
  const { agents } = await client.listAgents();
  assert.ok(agents.some((agent) => agent.id === "demo"));
  assert.equal((await client.getAgent("demo")).id, "demo");
});

test("a prompt streams its text in order", async (t) => {
  const session = await createSession(await connect(t));
  const { response, heard } = await ask(session, "say hello\nstream 200", counted(200));
  assert.equal(response.stopReason, "end_turn");
  assert.equal(heard, `hello${counted(200)}`);
});

test("several prompts follow each other in one session", async (t) => {
  const session = await createSession(await connect(t));
  for (const word of ["one", "two", "three", "four", "five"]) {
    const { response, heard } = await ask(session, `say ${word}`, word);
    assert.deepEqual([response.stopReason, heard], ["end_turn", word]);
  }
});

test("permissions are given once, always, or not", async (t) => {
  const session = await createSession(await connect(t));
  const replies = ["once", "always", "reject"];
  const asked = [];
  session.onPermissionRequest((request) => {
    asked.push(request.toolCall.title);
    void session.respondPermission(request.id, replies.shift());
  });
  await ask(session, "permission Deploy", 'Permission for "Deploy": allow_once.');
  await ask(session, "permission Deploy", 'Permission for "Deploy": allow_always.');
  await ask(session, "permission Deploy", 'Permission for "Deploy": allowed, as decided before.');
  await ask(session, "permission Delete", 'Permission for "Delete": reject_once.');
  assert.deepEqual(asked, ["Deploy", "Deploy", "Delete"]);
});

test("a permission that nobody listens for is cancelled, and the turn ends", async (t) => {
  const session = await createSession(await connect(t));
  const { response } = await ask(session, "permission Deploy", 'Permission for "Deploy": cancelled.');
  assert.equal(response.stopReason, "end_turn");
});

test("two sessions of one client work at the same time", async (t) => {
  const client = await connect(t);
  const sessions = await Promise.all([createSession(client), createSession(client)]);
  assert.notEqual(sessions[0].agentSessionId, sessions[1].agentSessionId);
  const turns = sessions.map((session, index) => ask(session, `stream 100\nsay end ${index}`, `end ${index}`));
  const heard = (await Promise.all(turns)).map((turn) => turn.heard);
  assert.deepEqual(heard, [`${counted(100)}end 0`, `${counted(100)}end 1`]);
});

test("mode, model and thought level are set", async (t) => {
  const client = await connect(t);
  const session = await createSession(client, { mode: "plan", model: "demo-large", thoughtLevel: "high" });
  await ask(session, "config", "mode: plan\nmodel: demo-large\neffort: high");
  await session.setModel("demo-small");
  await session.setThoughtLevel("low");
  await session.setMode("ask");
  await session.setConfigOption("mode", "bypass");
  await ask(session, "config", "mode: bypass\nmodel: demo-small\neffort: low");
  const options = await session.getConfigOptions();
  assert.deepEqual(
    options.map((option) => [option.id, option.currentValue]),
    [["mode", "bypass"], ["model", "demo-small"], ["effort", "low"]],
  );
  assert.equal((await session.getModes()).currentModeId, "bypass");
  await assert.rejects(session.setModel("no-such-model"), { name: "UnsupportedSessionValueError" });
});

test("its server is listed, and gone soon after it was disposed of", async () => {
  const client = await SandboxAgent.connect({ baseUrl: daemon.url, token: TOKEN });
  await createSession(client);
  const { servers } = await client.listAcpServers();
  const own = servers.filter((server) => server.serverId.startsWith("sdk-demo-"));
  assert.deepEqual([own.length, own[0].agent, typeof own[0].createdAtMs], [1, "demo", "number"]);
  const started = performance.now();
  await client.dispose();
  assert.ok(performance.now() - started < 2000, "the client gives DELETE two seconds");
  assert.deepEqual((await daemon.servers()).filter((server) => server.serverId === own[0].serverId), []);
});

test("a prompt of three megabytes arrives whole", async (t) => {
  const session = await createSession(await connect(t));
  const heard = listen(session);
  const picture = { type: "image", mimeType: "image/png", data: Buffer.alloc(3 << 20, 7).toString("base64") };
  const response = await within("the answer", session.prompt([...text("image"), picture]));
  assert.equal(response.stopReason, "end_turn");
  await until("the agent has described it", () => heard());
  assert.equal(heard(), "This came with the prompt:\n- image, image/png, 3145728 bytes");
});

test("destroying a session cancels its turn", async (t) => {
  const client = await connect(t);
  const session = await createSession(client);
  const heard = listen(session);
  const turn = session.prompt(text("say begun\nhang"));
  await until("the turn runs", () => heard().includes("begun"));
  await client.destroySession(session.id);
  assert.equal((await within("the turn to end", turn)).stopReason, "cancelled");
});

test("an error of the agent rejects the prompt, and the session goes on", async (t) => {
  const session = await createSession(await connect(t));
  const failed = within("the error", session.prompt(text("error -32050 No luck")));
  await assert.rejects(failed, { name: "AcpRpcError", code: -32050 });
  await ask(session, "say still here", "still here");
});

test("a second client joins the server of the first", async (t) => {
  const client = await connect(t);
  const session = await createSession(client);
  const { servers } = await client.listAcpServers();
  const { serverId } = servers.find((server) => server.agent === "demo");
  const updates = [];
  const second = new AcpHttpClient({
    baseUrl: daemon.url,
    token: TOKEN,
    transport: { path: `/v1/acp/${serverId}` },
    client: { sessionUpdate: async ({ update }) => void updates.push(update) },
  });
  await within("initialize", second.initialize());
  const { sessionId } = await within("newSession", second.newSession({ cwd: daemon.home, mcpServers: [] }));
  const [first, other] = await Promise.all([
    ask(session, "sleep 50\nsay for the first", "for the first"),
    within("the second's answer", second.prompt({ sessionId, prompt: text("sleep 20\nsay for the second") })),
  ]);
  assert.deepEqual([first.response.stopReason, other.stopReason], ["end_turn", "end_turn"]);
  await until("the second has heard", () => said(updates).includes("for the second"));
});
