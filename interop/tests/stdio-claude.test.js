// `sandbox-agent acp claude` as an editor uses it: the official TypeScript client on the agent's standard streams.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { after, before, test } from "node:test";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { BINARY } from "../harness/daemon.js";
import { dataDir, emptyHome, installed, startModel } from "../harness/real.js";
import { Stock } from "../harness/stock.js";
import { within } from "../harness/wait.js";

let model;
before(async () => {
  await installed("claude");
  model = await startModel();
});
after(() => model?.stop());

/** The agent on its streams, with the stock client at the other end. */
function open(t) {
  const home = emptyHome(t);
  const env = { HOME: home, PATH: process.env.PATH, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "sk-fake" };
  const args = ["acp", "claude", "--data-dir", dataDir("claude")];
  const child = spawn(BINARY, args, { cwd: home, env, stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
  t.after(() => child.kill("SIGKILL"));
  const stock = new Stock(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  return { stock, home, child, exited };
}

test("an editor talks to Claude Code, and its end is the agent's", async (t) => {
  const { stock, home, child, exited } = open(t);
  const { protocolVersion, agentInfo } = await stock.initialize();
  assert.equal(protocolVersion, 1);
  assert.equal(agentInfo.name, "claude");
  const session = await stock.newSession(home);
  assert.equal(await stock.prompt(session, "say: hello from the model"), "end_turn");
  assert.equal(stock.said(session), "hello from the model");
  child.stdin.end();
  assert.deepEqual(await within("the agent to exit", exited), { code: 0, signal: null });
});

test("it asks before it acts", async (t) => {
  const { stock, home } = open(t);
  await stock.initialize();
  const session = await stock.newSession(home);
  const file = join(home, "made.txt");
  const script = `tool: shell {"command":"touch ${file}"}\nthen\nsay: over`;
  const choose = (kind) => ({ options }) => ({
    outcome: "selected",
    optionId: options.find((option) => option.kind === kind).optionId,
  });
  stock.decide = choose("reject_once");
  assert.equal(await stock.prompt(session, script), "end_turn");
  assert.equal(existsSync(file), false, "a command that was refused must not run");
  stock.decide = choose("allow_once");
  assert.equal(await stock.prompt(session, script), "end_turn");
  assert.equal(existsSync(file), true);
  assert.equal(stock.permissions.length, 2);
});
