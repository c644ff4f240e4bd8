// The launcher in a real terminal, where Ctrl-C reaches the program without it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { SandboxAgent } from "sandbox-agent";
import { afterAll, beforeAll, expect, test } from "vitest";

const LAUNCHER = resolve(import.meta.dirname, "../bin/sandbox-agent.js");

/** Counts interrupts, and prints the count when it is terminated. */
const PROGRAM = `#!${process.execPath}
let count = 0;
process.on("SIGINT", () => {
  count += 1;
  console.log("interrupted");
});
process.on("SIGTERM", () => {
  console.log("count " + count);
  process.exit(0);
});
setInterval(() => {}, 1000);
console.log("ready");
`;

let daemon: Daemon;
const folder = mkdtempSync(join(tmpdir(), "sa-launcher-"));

beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(async () => {
  await daemon.stop();
  rmSync(folder, { recursive: true });
});

test("the program gets one signal for one Ctrl-C", async () => {
  const program = join(folder, "program.cjs");
  writeFileSync(program, PROGRAM, { mode: 0o755 });
  const client = await SandboxAgent.connect(daemon.connection);
  const { id, pid } = await client.processes.create({
    command: process.execPath,
    args: [LAUNCHER],
    env: { SANDBOX_AGENT_BIN: program },
    tty: true,
  });
  if (pid === undefined || pid === null) throw new Error("the launcher has no process id");
  await using terminal = await client.processes.terminal(id);
  let output = "";
  for await (const bytes of terminal) {
    const before = output;
    output += new TextDecoder().decode(bytes);
    const isNew = (text: string): boolean => output.includes(text) && !before.includes(text);
    if (isNew("ready")) terminal.write("\x03");
    // The launcher passes signals on in order: a second interrupt would come before this one.
    if (isNew("interrupted")) process.kill(pid, "SIGTERM");
  }
  expect(output).toContain("count 1");
  expect(await terminal.exit).toMatchObject({ exitCode: 0 });
});
