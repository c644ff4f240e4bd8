// The real Codex behind the daemon, as published clients use it: the official one over both remote transports, and the
// client of a peer product on `/v1/acp/{server_id}`.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SandboxAgent } from "sandbox-agent";
import { BINARY, TOKEN, startDaemon } from "../harness/daemon.js";
import { dataDir, installed, startModel } from "../harness/real.js";
import { said, text } from "../harness/speech.js";
import { Stock, TRANSPORTS } from "../harness/stock.js";
import { until, within } from "../harness/wait.js";

let daemon;
let model;
before(async () => {
  await installed("codex");
  model = await startModel();
  daemon = await startDaemon({ tables: agent() });
});
after(async () => {
  await daemon?.stop();
  model?.stop();
});

/** Codex with a scripted model, as an agent of the daemon. */
function agent() {
  const args = ["acp", "codex", "--data-dir", dataDir("codex")];
  const env = { OPENAI_BASE_URL: `${model.url}/v1`, CODEX_API_KEY: "sk-fake" };
  const lines = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const table = ["[agents.scripted]", `command = ${JSON.stringify(BINARY)}`, `args = ${JSON.stringify(args)}`];
  return [...table, "[agents.scripted.env]", ...lines, ""].join("\n");
}

/** A directory that nothing was done in yet. */
function workspace(t) {
  const folder = mkdtempSync(join(daemon.home, "work-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const writing = (file) => `tool: write ${JSON.stringify({ path: file, content: "new" })}\nthen\nsay: over`;

for (const [transport, open] of Object.entries(TRANSPORTS)) {
  test(`the official client over ${transport}: permissions are given and refused`, async (t) => {
    const stock = new Stock(open(daemon, `/v1/acp/${randomUUID()}?agent=scripted`));
    t.after(() => stock.close());
    assert.equal((await stock.initialize()).agentInfo.name, "codex");
    const cwd = workspace(t);
    const session = await stock.newSession(cwd);
    const file = join(cwd, "made.txt");
    for (const [kind, made] of [["reject_once", false], ["allow_once", true]]) {
      stock.decide = ({ options }) => ({
        outcome: "selected",
        optionId: options.find((option) => option.kind === kind).optionId,
      });
      assert.equal(await stock.prompt(session, writing(file)), "end_turn");
      assert.equal(existsSync(file), made, kind);
    }
    assert.deepEqual(stock.permissions, Array(2).fill("Create made.txt"));
    assert.equal(stock.said(session), "overover");
  });

  test(`the official client over ${transport}: sessions share a process and do not mix`, async (t) => {
    const stock = new Stock(open(daemon, `/v1/acp/${randomUUID()}?agent=scripted`));
    t.after(() => stock.close());
    await stock.initialize();
    const cwd = workspace(t);
    const sessions = await Promise.all(Array.from({ length: 5 }, () => stock.newSession(cwd)));
    assert.equal(new Set(sessions).size, 5);
    const turns = sessions.map((session, index) => stock.prompt(session, `repeat: 40 x 16\nsay: end ${index}`));
    assert.deepEqual(await Promise.all(turns), Array(5).fill("end_turn"));
    sessions.forEach((session, index) => assert.match(stock.said(session), new RegExp(`end ${index}$`)));
  });
}

test("the client of a peer product: a turn, a permission, a refusal", async (t) => {
  const client = await SandboxAgent.connect({ baseUrl: daemon.url, token: TOKEN });
  t.after(() => client.dispose());
  const cwd = workspace(t);
  const session = await within("createSession", client.createSession({ agent: "scripted", cwd }));
  const updates = [];
  session.onEvent(({ payload }) => {
    if (payload.method === "session/update") updates.push(payload.params.update);
  });
  const replies = ["reject", "once"];
  session.onPermissionRequest((request) => void session.respondPermission(request.id, replies.shift()));
  const file = join(cwd, "made.txt");
  for (const made of [false, true]) {
    const { stopReason } = await within("the turn", session.prompt(text(writing(file))));
    assert.equal(stopReason, "end_turn");
    assert.equal(existsSync(file), made);
  }
  assert.deepEqual(replies, []);
  await until("all that was said", () => said(updates) === "overover");
});
