// The published client `acp-http-client` of a peer product, unchanged, against `/v1/acp/{server_id}`.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { AcpHttpClient } from "acp-http-client";
import { TOKEN, startDaemon } from "../harness/daemon.js";
import { Notebook, counted, text } from "../harness/speech.js";
import { until, within } from "../harness/wait.js";
import { Wire } from "../harness/wire.js";

let daemon;
before(async () => {
  daemon = await startDaemon();
});
after(() => daemon.stop());

/** A client, its notes and the wire it uses. Permissions are decided by `decide`. */
function open(t, { server = randomUUID(), agent = "demo", on = daemon, decide } = {}) {
  const [notebook, wire] = [new Notebook(), new Wire()];
  const client = new AcpHttpClient({
    baseUrl: on.url,
    token: TOKEN,
    fetch: wire.fetch,
    transport: { path: `/v1/acp/${server}`, bootstrapQuery: { agent } },
    client: {
      sessionUpdate: async (notification) => notebook.note(notification),
      requestPermission: decide && (async (request) => ({ outcome: decide(request) })),
    },
  });
  t.after(() => client.disconnect());
  return { client, notebook, wire, server };
}

/** Begins a session on a client that has said nothing yet. */
async function begin({ client }) {
  const initialized = await within("initialize", client.initialize());
  assert.equal(initialized.protocolVersion, 1);
  return newSession(client);
}

async function newSession(client) {
  const { sessionId } = await within("newSession", client.newSession({ cwd: daemon.home, mcpServers: [] }));
  return sessionId;
}

/** Prompts and waits until the agent has said `expected` in that session. */
async function ask({ client, notebook }, sessionId, words, expected) {
  const response = await within(`the answer to ${words}`, client.prompt({ sessionId, prompt: text(words) }));
  await until(`the agent has said ${expected}`, () => notebook.said(sessionId).endsWith(expected));
  return response.stopReason;
}

test("a session runs from initialize to disconnect", async (t) => {
  const peer = open(t);
  const sessionId = await begin(peer);
  assert.equal(await ask(peer, sessionId, "stream 50\nsay done", `${counted(50)}done`), "end_turn");
  assert.equal(peer.notebook.said(sessionId), `${counted(50)}done`);
  assert.deepEqual((await daemon.servers()).map((server) => server.serverId).filter((id) => id === peer.server), [peer.server]);
  await peer.client.disconnect();
  assert.deepEqual((await daemon.servers()).filter((server) => server.serverId === peer.server), []);
});

test("the stream that is asked for together with the first message is not refused", async (t) => {
  for (let round = 0; round < 10; round += 1) {
    const { client, wire } = open(t);
    await within("initialize", client.initialize());
    await until("the stream is open", () => wire.open === 1);
    assert.deepEqual([wire.streams, wire.refused], [1, 0]);
    await client.disconnect();
  }
});

test("permission requests come and their answers go", async (t) => {
  const asked = [];
  const decide = ({ toolCall, options }) => {
    asked.push(toolCall.title);
    return { outcome: "selected", optionId: options.find(({ kind }) => kind === "allow_once").optionId };
  };
  const peer = open(t, { decide });
  const sessionId = await begin(peer);
  await ask(peer, sessionId, "permission Deploy", 'Permission for "Deploy": allow_once.');
  assert.deepEqual(asked, ["Deploy"]);
});

test("a turn is cancelled", async (t) => {
  const peer = open(t);
  const sessionId = await begin(peer);
  const turn = peer.client.prompt({ sessionId, prompt: text("say begun\nhang") });
  await until("the turn runs", () => peer.notebook.said(sessionId) === "begun");
  await peer.client.cancel({ sessionId });
  assert.equal((await within("the turn to end", turn)).stopReason, "cancelled");
});

test("a session is listed, and loaded by the next client", async (t) => {
  const first = open(t, { agent: "kept" });
  const sessionId = await begin(first);
  await ask(first, sessionId, "say remember me", "remember me");
  await first.client.disconnect();

  const second = open(t, { agent: "kept" });
  await within("initialize", second.client.initialize());
  const { sessions } = await within("listSessions", second.client.listSessions({}));
  assert.ok(sessions.some((session) => session.sessionId === sessionId));
  await within("loadSession", second.client.loadSession({ sessionId, cwd: daemon.home, mcpServers: [] }));
  await until("the history is there", () => second.notebook.said(sessionId) === "remember me");
  await ask(second, sessionId, "say and more", "remember meand more");
});

test("an unknown method is an error of the agent", async (t) => {
  const peer = open(t);
  await begin(peer);
  await assert.rejects(within("the error", peer.client.extMethod("_no/such", {})), { name: "AcpRpcError", code: -32601 });
});

test("two clients of one server count alike and get their own answers", async (t) => {
  const first = open(t);
  const second = open(t, { server: first.server });
  const [one, two] = [await begin(first), await begin(second)];
  const turns = [];
  for (let round = 0; round < 12; round += 1) {
    const [slow, fast] = round % 2 ? [first, second] : [second, first];
    const sessionOf = (peer) => (peer === first ? one : two);
    const reason = round % 3 ? "max_tokens" : "refusal";
    turns.push(
      Promise.all([
        slow.client.prompt({ sessionId: sessionOf(slow), prompt: text(`sleep 30\nstop ${reason}`) }),
        fast.client.prompt({ sessionId: sessionOf(fast), prompt: text("stop max_turn_requests") }),
      ]).then(([a, b]) => assert.deepEqual([a.stopReason, b.stopReason], [reason, "max_turn_requests"])),
    );
  }
  await within("all answers", Promise.all(turns));
  await ask(first, one, "say for the first", "for the first");
  await ask(second, two, "say for the second", "for the second");
  const ids = (peer) => peer.wire.posts.map(({ message }) => message.id);
  assert.deepEqual(ids(first), ids(second));
});

test("two clients that start one server at the same moment do not take each other's answers", async (t) => {
  for (let round = 0; round < 10; round += 1) {
    const first = open(t);
    const second = open(t, { server: first.server });
    const peers = [first, second];
    const sessions = await Promise.all(peers.map(begin));
    assert.notEqual(sessions[0], sessions[1]);
    await Promise.all(peers.map((peer, index) => ask(peer, sessions[index], `say to ${index}`, `to ${index}`)));
    await first.client.disconnect();
  }
});

test("two clients of one server are safe while the stream of one is away", async (t) => {
  const first = open(t);
  const second = open(t, { server: first.server });
  const [one, two] = [await begin(first), await begin(second)];
  await ask(first, one, "say hello", "hello");
  await ask(second, two, "say hello", "hello");

  let release;
  second.wire.gate = new Promise((resolve) => (release = resolve));
  second.wire.cut();
  // The second one's answer must not reach the first, and vice versa once the second is back.
  for (let round = 0; round < 3; round += 1) {
    await within("the second", second.client.prompt({ sessionId: two, prompt: text("say unheard") }));
  }
  for (let round = 0; round < 6; round += 1) await ask(first, one, `say ${round}`, `${round}`);
  release();
  await until("the second is back", () => second.notebook.said(two) === "hellounheardunheardunheard");
  for (let round = 0; round < 6; round += 1) await ask(second, two, `say ${round}`, `${round}`);
});

test("a stream that ends in the middle of a turn loses nothing", async (t) => {
  const peer = open(t);
  const sessionId = await begin(peer);
  const turn = peer.client.prompt({ sessionId, prompt: text("stream 60 every 20") });
  for (const count of [10, 25, 40]) {
    await until(`${count} were said`, () => peer.notebook.said(sessionId).includes(` ${count} `));
    peer.wire.cut();
  }
  assert.equal((await within("the turn to end", turn)).stopReason, "end_turn");
  await until("all were said", () => peer.notebook.said(sessionId).endsWith(" 60 "));
  assert.equal(peer.notebook.said(sessionId), counted(60));
  assert.ok(peer.wire.streams >= 4, `${peer.wire.streams} streams`);
});

test("a permission asked while the stream was away is found when it is back", async (t) => {
  const decide = () => ({ outcome: "selected", optionId: "allow_once" });
  const peer = open(t, { decide });
  const sessionId = await begin(peer);
  const turn = peer.client.prompt({ sessionId, prompt: text("say begun\nsleep 50\npermission Deploy") });
  await until("the turn runs", () => peer.notebook.said(sessionId) === "begun");
  peer.wire.cut();
  assert.equal((await within("the turn to end", turn)).stopReason, "end_turn");
});

test("a stream that breaks goes on with the next message", async (t) => {
  const peer = open(t);
  const sessionId = await begin(peer);
  const turn = peer.client.prompt({ sessionId, prompt: text("stream 30 every 20") });
  await until("some were said", () => peer.notebook.said(sessionId).includes(" 5 "));
  peer.wire.cut({ broken: true });
  await within("the turn to end", turn);
  assert.equal(peer.wire.open, 0, "this client opens no stream by itself after an error");
  await ask(peer, sessionId, "say again", "again");
  assert.equal(peer.notebook.said(sessionId), `${counted(30)}again`);
});
