// The process and terminal methods of the published client `sandbox-agent` of a peer product, unchanged, against the daemon.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SandboxAgent } from "sandbox-agent";
import { WebSocket } from "ws";
import { TOKEN, startDaemon } from "../harness/daemon.js";
import { until, within } from "../harness/wait.js";

let daemon;
let client;
before(async () => {
  daemon = await startDaemon();
  client = await SandboxAgent.connect({ baseUrl: daemon.url, token: TOKEN });
});
after(async () => {
  await client.dispose();
  await daemon.stop();
});

const script = (text, more = {}) => ({ command: "/bin/sh", args: ["-c", text], ...more });

/** Returns the text of these entries. */
const textOf = (entries) => entries.map((entry) => Buffer.from(entry.data, entry.encoding).toString()).join("");

const ended = (id) =>
  until("the process has ended", async () => {
    const info = await client.getProcess(id);
    return info.status === "exited" && info;
  });

test("runProcess gives output and exit code", async () => {
  const answer = await within("runProcess", client.runProcess(script('echo "$A"; echo bad >&2; exit 3', { env: { A: "x" } })));
  assert.equal(typeof answer.durationMs, "number");
  const { exitCode, timedOut, stdout, stderr, stdoutTruncated, stderrTruncated } = answer;
  assert.deepEqual(
    { exitCode, timedOut, stdout, stderr, stdoutTruncated, stderrTruncated },
    { exitCode: 3, timedOut: false, stdout: "x\n", stderr: "bad\n", stdoutTruncated: false, stderrTruncated: false },
  );
});

test("runProcess times out although a grandchild holds the pipe", async () => {
  const started = performance.now();
  const answer = await client.runProcess(script("sleep 600 & sleep 600", { timeoutMs: 300 }));
  assert.deepEqual([answer.timedOut, answer.exitCode ?? null], [true, null]);
  assert.ok(performance.now() - started < 5000);
});

test("a process is created, listed, read, and deleted", async () => {
  const made = await client.createProcess(script("echo one; echo two >&2", { cwd: daemon.home }));
  assert.deepEqual(
    [made.command, made.args[0], made.cwd, made.tty, made.interactive, made.owner, typeof made.createdAtMs],
    ["/bin/sh", "-c", daemon.home, false, false, "user", "number"],
  );
  const info = await ended(made.id);
  assert.deepEqual([info.exitCode, typeof info.exitedAtMs], [0, "number"]);
  const { processes } = await client.listProcesses();
  assert.ok(processes.some((process) => process.id === made.id));
  assert.deepEqual((await client.listProcesses({ owner: "desktop" })).processes, []);
  const logs = await client.getProcessLogs(made.id);
  assert.deepEqual([logs.processId, logs.stream], [made.id, "combined"]);
  const stdout = await client.getProcessLogs(made.id, { stream: "stdout", tail: 10 });
  assert.equal(textOf(stdout.entries), "one\n");
  const since = await client.getProcessLogs(made.id, { since: logs.entries.at(-1).sequence });
  assert.deepEqual(since.entries, []);
  await client.deleteProcess(made.id);
  await assert.rejects(client.getProcess(made.id), { status: 404 });
});

test("followProcessLogs ends when the process does", async () => {
  const { id } = await client.createProcess(script("for i in 1 2 3; do echo $i; sleep 0.05; done; echo end >&2"));
  const entries = [];
  const stream = await client.followProcessLogs(id, (entry) => entries.push(entry));
  await within("the stream to end", stream.closed);
  assert.equal(textOf(entries), "1\n2\n3\nend\n");
  assert.deepEqual(entries.map((entry) => entry.sequence), entries.map((_, index) => index + 1));
  const late = [];
  const again = await client.followProcessLogs(id, (entry) => late.push(entry), { stream: "stderr" });
  await within("the stream to end", again.closed);
  assert.deepEqual([textOf(late), late[0].stream], ["end\n", "stderr"]);
});

test("a stream of a process that goes on can be closed", async () => {
  const { id } = await client.createProcess(script("echo up; sleep 600"));
  const entries = [];
  const stream = await client.followProcessLogs(id, (entry) => entries.push(entry));
  await until("something was printed", () => entries.length > 0);
  stream.close();
  await within("the stream to be closed", stream.closed);
  assert.equal((await client.getProcess(id)).status, "running");
  await client.killProcess(id);
});

test("input reaches a process in either encoding", async () => {
  const { id } = await client.createProcess({ command: "cat", interactive: true });
  const text = await client.sendProcessInput(id, { data: "plain\n", encoding: "utf8" });
  assert.deepEqual(text, { bytesWritten: 6 });
  await client.sendProcessInput(id, { data: Buffer.from("encoded\n").toString("base64") });
  await until("both came back", async () => textOf((await client.getProcessLogs(id)).entries) === "plain\nencoded\n");
  await assert.rejects(client.deleteProcess(id), { status: 409 });
  const stopped = await client.stopProcess(id, { waitMs: 5000 });
  assert.deepEqual([stopped.status, stopped.exitCode ?? null], ["exited", null]);
  await assert.rejects(client.sendProcessInput(id, { data: "", encoding: "utf8" }), { status: 409 });
});

test("killProcess takes the whole tree", async () => {
  const { id } = await client.createProcess(script("trap '' TERM; setsid sleep 600 & echo $!; wait"));
  const pid = await until("the child is there", async () => Number(textOf((await client.getProcessLogs(id)).entries)));
  assert.equal((await client.killProcess(id, { waitMs: 5000 })).status, "exited");
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});

test("limits are read and set as a whole", async () => {
  const config = await client.getProcessConfig();
  const { maxConcurrentProcesses, defaultRunTimeoutMs, maxRunTimeoutMs } = config;
  const { maxOutputBytes, maxLogBytesPerProcess, maxInputBytesPerRequest } = config;
  assert.deepEqual(
    [maxConcurrentProcesses, defaultRunTimeoutMs, maxRunTimeoutMs, maxOutputBytes, maxLogBytesPerProcess, maxInputBytesPerRequest],
    [64, 30_000, 300_000, 1 << 20, 10 << 20, 64 << 10],
  );
  // The fields that this client knows, and no others.
  const change = { maxConcurrentProcesses, defaultRunTimeoutMs, maxRunTimeoutMs, maxLogBytesPerProcess, maxInputBytesPerRequest };
  assert.equal((await client.setProcessConfig({ ...change, maxOutputBytes: 5 })).maxOutputBytes, 5);
  assert.equal((await client.runProcess(script("echo 0123456789"))).stdout, "01234");
  assert.deepEqual(await client.setProcessConfig({ ...change, maxOutputBytes }), config);
});

/** A terminal as the client sees it. */
function watch(id) {
  const session = client.connectProcessTerminal(id, { WebSocket });
  const seen = { session, text: "", ready: undefined, exit: undefined, errors: [] };
  const decoder = new TextDecoder();
  session.onReady((frame) => (seen.ready = frame));
  session.onData((bytes) => (seen.text += decoder.decode(bytes, { stream: true })));
  session.onExit((frame) => (seen.exit = frame));
  session.onError((error) => seen.errors.push(error));
  return seen;
}

const shows = (seen, text) => until(`the terminal shows ${text}`, () => seen.text.includes(text));

test("a terminal is typed on, resized, watched by two, and ends with its process", async () => {
  const commands = "echo $TERM; while read line; do case $line in size) stty size;; quit) exit 5;; *) echo got $line;; esac; done";
  const { id, tty } = await client.createProcess(script(commands, { tty: true }));
  assert.equal(tty, true);
  const first = watch(id);
  await shows(first, "xterm-256color");
  assert.equal(first.ready.processId, id);
  first.session.sendInput("grüße\n");
  await shows(first, "got grüße");
  first.session.sendInput(new TextEncoder().encode("bytes\n"));
  await shows(first, "got bytes");
  first.session.resize({ cols: 100, rows: 40 });
  first.session.sendInput("size\n");
  await shows(first, "40 100");
  assert.deepEqual(await client.resizeProcessTerminal(id, { cols: 90, rows: 30 }), { cols: 90, rows: 30 });
  await assert.rejects(client.resizeProcessTerminal(id, { cols: 0, rows: 0 }), { status: 400 });
  const second = watch(id);
  await shows(second, "got bytes");
  first.session.close();
  await within("the first to be closed", first.session.closed);
  assert.equal((await client.getProcess(id)).status, "running");
  second.session.sendInput("quit\n");
  await within("the second to be closed", second.session.closed);
  assert.equal(second.exit.exitCode, 5);
  assert.deepEqual([first.errors, second.errors], [[], []]);
  assert.ok(!second.text.includes("error"), second.text);
  const logs = await client.getProcessLogs(id, { stream: "pty" });
  assert.ok(textOf(logs.entries).includes("got grüße"));
});
