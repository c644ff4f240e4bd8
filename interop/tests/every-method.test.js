// Each method that the published client `sandbox-agent` of a peer product has for files, configuration and processes, called
// once against the daemon. The list of methods comes from the client itself: one that is not called here fails the run.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ProcessTerminalSession, SandboxAgent } from "sandbox-agent";
import { WebSocket } from "ws";
import { TOKEN, startDaemon } from "../harness/daemon.js";
import { until, within } from "../harness/wait.js";

let daemon;
let client;
/** A directory, an MCP server and a skill in it, and processes: what the calls work on, one after the other. */
let place;
before(async () => {
  daemon = await startDaemon();
  client = await SandboxAgent.connect({ baseUrl: daemon.url, token: TOKEN });
  const root = join(daemon.home, "project");
  mkdirSync(root);
  place = { root, mcp: { directory: root, mcpName: "one" }, skill: { directory: root, skillName: "two" } };
});
after(async () => {
  await client.dispose();
  await daemon.stop();
});

const inside = (name) => join(place.root, name);
const shell = (text, more = {}) => ({ command: "/bin/sh", args: ["-c", text], ...more });
const textOf = (entries) => entries.map((entry) => Buffer.from(entry.data, entry.encoding).toString()).join("");
const gone = (call) => assert.rejects(call, { status: 404 });

/** A terminal on which `cat` answers. */
async function terminal() {
  const { id } = await client.createProcess({ command: "cat", tty: true });
  return id;
}

const CALLS = {
  async mkdirFs() {
    assert.deepEqual(await client.mkdirFs({ path: inside("deep/er") }), { path: inside("deep/er") });
  },
  async writeFsFile() {
    assert.equal((await client.writeFsFile({ path: inside("file") }, "written")).bytesWritten, 7);
  },
  async readFsFile() {
    assert.equal(Buffer.from(await client.readFsFile({ path: inside("file") })).toString(), "written");
  },
  async statFs() {
    assert.equal((await client.statFs({ path: inside("file") })).size, 7);
  },
  async listFsEntries() {
    const entries = await client.listFsEntries({ path: place.root });
    assert.deepEqual(entries.map((entry) => entry.name).sort(), ["deep", "file"]);
  },
  async moveFs() {
    await client.moveFs({ from: inside("file"), to: inside("moved") });
    assert.equal(readFileSync(inside("moved"), "utf8"), "written");
  },
  async deleteFsEntry() {
    await client.deleteFsEntry({ path: inside("moved") });
    await gone(client.statFs({ path: inside("moved") }));
  },
  async uploadFsBatch() {
    writeFileSync(inside("packed"), "packed");
    const archive = execFileSync("tar", ["-c", "-f", "-", "-C", place.root, "packed"]);
    const { paths } = await client.uploadFsBatch(archive, { path: inside("target") });
    assert.deepEqual(paths, [inside("target/packed")]);
  },
  async setMcpConfig() {
    await client.setMcpConfig(place.mcp, { type: "local", command: "server" });
  },
  async getMcpConfig() {
    assert.deepEqual(await client.getMcpConfig(place.mcp), { type: "local", command: "server" });
  },
  async deleteMcpConfig() {
    await client.deleteMcpConfig(place.mcp);
    await gone(client.getMcpConfig(place.mcp));
  },
  async setSkillsConfig() {
    await client.setSkillsConfig(place.skill, { sources: [{ type: "local", source: "./skills" }] });
  },
  async getSkillsConfig() {
    assert.equal((await client.getSkillsConfig(place.skill)).sources[0].source, "./skills");
  },
  async deleteSkillsConfig() {
    await client.deleteSkillsConfig(place.skill);
    await gone(client.getSkillsConfig(place.skill));
  },
  async getProcessConfig() {
    place.config = await client.getProcessConfig();
    assert.equal(place.config.maxConcurrentProcesses, 64);
  },
  async setProcessConfig() {
    const changed = await client.setProcessConfig({ ...place.config, maxConcurrentProcesses: 63 });
    assert.equal(changed.maxConcurrentProcesses, 63);
  },
  async runProcess() {
    const { exitCode, stdout } = await client.runProcess(shell("echo out; exit 4"));
    assert.deepEqual([exitCode, stdout], [4, "out\n"]);
  },
  async createProcess() {
    place.process = (await client.createProcess({ command: "cat", interactive: true })).id;
  },
  async listProcesses() {
    const { processes } = await client.listProcesses();
    assert.ok(processes.some((process) => process.id === place.process));
  },
  async getProcess() {
    assert.equal((await client.getProcess(place.process)).status, "running");
  },
  async sendProcessInput() {
    assert.deepEqual(await client.sendProcessInput(place.process, { data: "typed\n", encoding: "utf8" }), { bytesWritten: 6 });
  },
  async getProcessLogs() {
    await until("cat has answered", async () => textOf((await client.getProcessLogs(place.process)).entries) === "typed\n");
  },
  async followProcessLogs() {
    const seen = [];
    const stream = await client.followProcessLogs(place.process, (entry) => seen.push(entry));
    await until("the log has come", () => textOf(seen) === "typed\n");
    stream.close();
    await within("the stream to be closed", stream.closed);
  },
  async stopProcess() {
    assert.equal((await client.stopProcess(place.process, { waitMs: 5000 })).status, "exited");
  },
  async deleteProcess() {
    await client.deleteProcess(place.process);
    await gone(client.getProcess(place.process));
  },
  async killProcess() {
    const { id } = await client.createProcess(shell("trap '' TERM; sleep 600"));
    assert.equal((await client.killProcess(id, { waitMs: 5000 })).status, "exited");
  },
  async resizeProcessTerminal() {
    place.terminal = await terminal();
    assert.deepEqual(await client.resizeProcessTerminal(place.terminal, { cols: 90, rows: 30 }), { cols: 90, rows: 30 });
  },
  async buildProcessTerminalWebSocketUrl() {
    const url = new URL(client.buildProcessTerminalWebSocketUrl(place.terminal));
    assert.deepEqual([url.protocol, url.pathname], ["ws:", `/v1/processes/${place.terminal}/terminal/ws`]);
  },
  async connectProcessTerminalWebSocket() {
    const socket = client.connectProcessTerminalWebSocket(place.terminal, { WebSocket });
    const ready = new Promise((resolve, reject) => {
      socket.onmessage = (event) => resolve(JSON.parse(event.data));
      socket.onerror = reject;
    });
    assert.equal((await within("the first frame", ready)).type, "ready");
    socket.close();
  },
  async connectProcessTerminal() {
    const session = client.connectProcessTerminal(place.terminal, { WebSocket });
    place.session = session;
    assert.ok(session instanceof ProcessTerminalSession);
  },
};

/** The methods of a terminal's session, in the order of the calls. */
const ON_TERMINAL = {
  onReady: (session, seen) => session.onReady((frame) => (seen.ready = frame)),
  onData: (session, seen) => session.onData((bytes) => (seen.text += Buffer.from(bytes).toString())),
  onExit: (session, seen) => session.onExit((frame) => (seen.exit = frame)),
  onError: (session, seen) => session.onError((error) => seen.errors.push(error)),
  onClose: (session, seen) => session.onClose(() => (seen.closed = true)),
  async sendInput(session, seen) {
    await until("the terminal is ready", () => seen.ready);
    session.sendInput("hello\n");
    await until("cat has answered", () => seen.text.split("hello").length === 3);
  },
  resize: (session) => session.resize({ cols: 100, rows: 40 }),
  async close(session, seen) {
    // The end of `cat` comes first, so that its exit is seen.
    session.sendInput("\u0004");
    await until("the exit has come", () => seen.exit);
    session.close();
    await within("the session to be closed", session.closed);
    await until("its end was told", () => seen.closed);
  },
};

/** Methods of a class, without those that its types call private. */
function methods(kind, internal = []) {
  const names = Object.getOwnPropertyNames(kind.prototype);
  const isMethod = (name) => typeof Object.getOwnPropertyDescriptor(kind.prototype, name).value === "function";
  return names.filter((name) => name !== "constructor" && isMethod(name) && !internal.includes(name));
}

test("every method for files, configuration and processes is called", async (context) => {
  const offered = methods(SandboxAgent).filter((name) => /Fs|Mcp|Skills|Process/.test(name));
  assert.deepEqual(Object.keys(CALLS).sort(), offered.sort(), "the calls here and the client's methods");
  for (const [name, call] of Object.entries(CALLS)) {
    await context.test(name, call);
  }
});

test("every method of a terminal is called", async (context) => {
  const offered = methods(ProcessTerminalSession, ["handleMessage", "sendFrame", "emitError"]);
  assert.deepEqual(Object.keys(ON_TERMINAL).sort(), offered.sort(), "the calls here and the session's methods");
  const seen = { text: "", errors: [] };
  for (const [name, call] of Object.entries(ON_TERMINAL)) {
    await context.test(name, () => call(place.session, seen));
  }
  assert.deepEqual([seen.exit.exitCode, seen.errors], [0, []]);
});
