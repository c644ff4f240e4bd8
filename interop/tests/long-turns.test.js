// Turns that take longer than clients and gateways wait for headers: the daemon answers early and keeps the answer alive.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AcpHttpClient } from "acp-http-client";
import { SandboxAgent } from "sandbox-agent";
import { TOKEN, startDaemon } from "../harness/daemon.js";
import { text } from "../harness/speech.js";
import { until, within } from "../harness/wait.js";
import { Wire } from "../harness/wire.js";

let daemon;
before(async () => {
  daemon = await startDaemon({ limits: { "early-answer-ms": 300 } });
});
after(() => daemon.stop());

async function open(t, wire) {
  const client = new AcpHttpClient({
    baseUrl: daemon.url,
    token: TOKEN,
    fetch: wire.fetch,
    transport: { path: "/v1/acp/long", bootstrapQuery: { agent: "demo" } },
  });
  t.after(() => client.disconnect());
  await within("initialize", client.initialize());
  const { sessionId } = await within("newSession", client.newSession({ cwd: daemon.home, mcpServers: [] }));
  return { client, sessionId };
}

test("white space comes while the agent works, and then the answer", async (t) => {
  const wire = new Wire();
  const { client, sessionId } = await open(t, wire);
  const turn = client.prompt({ sessionId, prompt: text("sleep 3000") });
  const post = await until("the prompt is posted", () => wire.posts.find(({ message }) => message.method === "session/prompt"));
  await until("the headers are there", () => post.status);
  assert.equal((await daemon.servers())[0].pendingRequests, 1, "the agent has not answered yet");
  assert.equal((await within("the turn to end", turn)).stopReason, "end_turn");
  const body = await until("the body is there", () => post.body);
  const [space] = /^ */.exec(body);
  assert.ok(space.length >= 3, `${space.length} signs of life`);
  assert.equal(JSON.parse(body).id, post.message.id);
});

test("a crash late in a turn rejects the prompt", async (t) => {
  const client = await SandboxAgent.connect({ baseUrl: daemon.url, token: TOKEN });
  t.after(() => client.dispose());
  const session = await within("createSession", client.createSession({ agent: "demo", cwd: daemon.home }));
  const turn = within("the rejection", session.prompt(text("sleep 1000\ncrash 9")));
  await assert.rejects(turn, (error) => error.name === "AcpRpcError" && error.data.details.code === 9);
});
