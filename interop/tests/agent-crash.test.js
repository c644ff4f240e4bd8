// Agents that end in the middle of a turn, as the published client `sandbox-agent` sees them.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { SandboxAgent } from "sandbox-agent";
import { TOKEN, startDaemon } from "../harness/daemon.js";
import { text } from "../harness/speech.js";
import { until, within } from "../harness/wait.js";

const PROGRAM = fileURLToPath(new URL("../programs/prompt.js", import.meta.url));

async function start(t, limits) {
  const daemon = await startDaemon({ limits });
  t.after(() => daemon.stop());
  return daemon;
}

async function connect(t, daemon) {
  const client = await SandboxAgent.connect({ baseUrl: daemon.url, token: TOKEN });
  t.after(() => client.dispose());
  return client;
}

const createSession = (client) => within("createSession", client.createSession({ agent: "demo", cwd: "/" }));

async function works(t, daemon) {
  const session = await createSession(await connect(t, daemon));
  const { stopReason } = await within("the answer", session.prompt(text("say hello")));
  assert.equal(stopReason, "end_turn");
}

test("a crash is told with its reason and hurts nobody else", async (t) => {
  const daemon = await start(t, {});
  const other = await createSession(await connect(t, daemon));
  const long = other.prompt(text("say begun\nsleep 1500"));
  const { stderr } = await new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, daemon.url, TOKEN, "crash 3"], (_error, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
  assert.match(stderr, /status: 502/);
  assert.match(stderr, /crashing with exit code 3/);
  const ended = (await daemon.servers()).filter((server) => server.status === "exited");
  assert.deepEqual(ended.map((server) => [server.exit.code, server.pendingRequests]), [[3, 0]]);
  assert.equal((await within("the other's turn", long)).stopReason, "end_turn");
  await works(t, daemon);
});

// With `early-answer-ms = 0` no failure of an agent is an HTTP status, which that client does not survive.
for (const [how, words, code, signal] of [
  ["by an exit", "crash 3", 3, null],
  ["by a signal", "abort", null, 6],
  ["during output", "stream 100\ncrash 4", 4, null],
]) {
  test(`a prompt is rejected when its agent ends ${how}`, async (t) => {
    const daemon = await start(t, { "early-answer-ms": 0 });
    const session = await createSession(await connect(t, daemon));
    const error = await within("the rejection", session.prompt(text(words)).catch((error) => error));
    assert.deepEqual([error.name, error.code, error.data.title], ["AcpRpcError", -32603, "Agent Process Exited"]);
    assert.deepEqual([error.data.details.code, error.data.details.signal], [code, signal]);
    await works(t, daemon);
  });
}

test("every later call of the same client is rejected, and none hangs", async (t) => {
  const daemon = await start(t, { "early-answer-ms": 0 });
  const client = await connect(t, daemon);
  const session = await createSession(client);
  await assert.rejects(within("the rejection", session.prompt(text("crash 3"))), { name: "AcpRpcError" });
  await assert.rejects(within("the rejection", session.prompt(text("say hello"))), { name: "AcpRpcError" });
  await assert.rejects(createSession(client), { name: "AcpRpcError" });
});

test("both of two turns are rejected when the agent ends in one of them", async (t) => {
  const daemon = await start(t, { "early-answer-ms": 0 });
  const client = await connect(t, daemon);
  const [one, two] = await Promise.all([createSession(client), createSession(client)]);
  const hanging = one.prompt(text("hang"));
  hanging.catch(() => {});
  await until("the turn runs", async () => (await daemon.servers())[0].pendingRequests === 1);
  await assert.rejects(within("the rejection", two.prompt(text("crash 3"))), { name: "AcpRpcError", code: -32603 });
  await assert.rejects(within("the other rejection", hanging), { name: "AcpRpcError", code: -32603 });
});
