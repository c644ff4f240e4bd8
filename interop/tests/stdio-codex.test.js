// `sandbox-agent acp codex` as an editor uses it: the official TypeScript client on the agent's standard streams.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
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
function open(t, url = model.url) {
  const home = emptyHome(t);
  const env = { HOME: home, PATH: process.env.PATH, OPENAI_BASE_URL: `${url}/v1`, CODEX_API_KEY: "sk-fake" };
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

test("without a way to the model a prompt fails instead of waiting for ever", async (t) => {
  // Nobody listens there.
  const { stock, home } = open(t, "http://127.0.0.1:9");
  await stock.initialize();
  const session = await stock.newSession(home);
  const prompt = [{ type: "text", text: "say: hello" }];
  // The CLI tries for half a minute, on a machine that is not busy.
  const turn = within("the prompt to fail", stock.agent.request("session/prompt", { sessionId: session, prompt }), 100_000);
  await assert.rejects(turn, (error) => {
    assert.equal(error.data?.errorKind, "connection_failed", `${error.message} ${JSON.stringify(error)}`);
    return true;
  });
});

test("what a killed CLI leaves behind is ended, and the session goes on", async (t) => {
  const { stock, home, child } = open(t);
  await stock.initialize();
  const session = await stock.newSession(home);
  await stock.request("session/set_mode", { sessionId: session, modeId: "bypass" });
  const file = join(home, "pid");
  const turn = stock.prompt(session, `tool: shell ${JSON.stringify({ command: `echo $$ > ${file}; exec sleep 300` })}`);
  turn.catch(() => {});
  await until("the command to run", () => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"));
  const pid = readFileSync(file, "utf8").trim();
  for (const cli of childrenOf(child.pid)) process.kill(cli, "SIGKILL");
  await assert.rejects(turn, (error) => error.data.signal === 9);
  await until("the command to be gone", () => !existsSync(`/proc/${pid}`));
  assert.equal(await stock.prompt(session, "say: still here"), "end_turn");
  assert.equal(stock.said(session), "still here");
});

/** The processes that a process started. */
const childrenOf = (pid) =>
  readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" "))
    .filter((child) => child !== "")
    .map(Number);
