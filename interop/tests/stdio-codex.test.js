// `sandbox-agent acp codex` as an editor uses it: the official TypeScript client on the agent's standard streams.

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
import { until, within } from "../harness/wait.js";

let model;
before(async () => {
  await installed("codex");
  model = await startModel();
});
after(() => model?.stop());

/** The agent on its streams, with the stock client at the other end. */
function open(t) {
  const home = emptyHome(t);
  const env = { HOME: home, PATH: process.env.PATH, OPENAI_BASE_URL: `${model.url}/v1`, CODEX_API_KEY: "sk-fake" };
  const args = ["acp", "codex", "--data-dir", dataDir("codex")];
  const child = spawn(BINARY, args, { cwd: home, env, stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
  t.after(() => child.kill("SIGKILL"));
  const stock = new Stock(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  return { stock, home, child, exited };
}

const choose = (kind) => ({ options }) => ({
  outcome: "selected",
  optionId: options.find((option) => option.kind === kind).optionId,
});

test("an editor talks to Codex, and its end is the agent's", async (t) => {
  const { stock, home, child, exited } = open(t);
  const { protocolVersion, agentInfo } = await stock.initialize();
  assert.equal(protocolVersion, 1);
  assert.equal(agentInfo.name, "codex");
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
  stock.decide = choose("reject_once");
  assert.equal(await stock.prompt(session, script), "end_turn");
  assert.equal(existsSync(file), false, "a command that was refused must not run");
  stock.decide = choose("allow_once");
  assert.equal(await stock.prompt(session, script), "end_turn");
  assert.equal(existsSync(file), true);
  assert.equal(stock.permissions.length, 2);
});

test("its sandbox lets it work in the workspace, and asks for more", async (t) => {
  const { stock, home } = open(t);
  await stock.initialize();
  const work = emptyHome(t);
  const session = await stock.newSession(work);
  await stock.request("session/set_mode", { sessionId: session, modeId: "auto" });
  stock.decide = choose("reject_once");
  const write = (path) => `tool: write {"path":"${path}","content":"new"}\nthen\nsay: over`;
  assert.equal(await stock.prompt(session, write(join(work, "inside.txt"))), "end_turn");
  assert.equal(existsSync(join(work, "inside.txt")), true);
  assert.deepEqual(stock.permissions, []);
  assert.equal(await stock.prompt(session, write(join(home, "outside.txt"))), "end_turn");
  assert.equal(existsSync(join(home, "outside.txt")), false);
  assert.equal(stock.permissions.length, 1);
});

test("a command outlives its turn, and its end is told", async (t) => {
  const { stock, home } = open(t);
  await stock.initialize();
  const session = await stock.newSession(home);
  await stock.request("session/set_mode", { sessionId: session, modeId: "bypass" });
  const gate = join(home, "gate");
  const command = `until test -e ${gate}; do sleep 0.05; done; echo it is open`;
  const script = `tool: shell ${JSON.stringify({ command, background: true })}\nthen\nsay: begun`;
  assert.equal(await stock.prompt(session, script), "end_turn");
  const ends = () =>
    stock.notebook.of(session).filter(({ sessionUpdate, status }) => sessionUpdate === "tool_call_update" && status === "completed");
  assert.equal(ends().length, 0, "the turn is over, the command is not");
  assert.equal(await stock.prompt(session, `tool: shell {"command":"touch ${gate}"}\nthen\nsay: opened`), "end_turn");
  await until("the end of the command", () => ends().some((update) => JSON.stringify(update).includes("it is open")));
});
