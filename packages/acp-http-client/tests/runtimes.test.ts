// The package in Bun and Deno, whose sockets take headers in another way than those of `ws`.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { bunProgram, denoProgram } from "@sandbox-agent/testkit/runtimes";
import { afterAll, beforeAll, expect, test } from "vitest";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.stop());

const PROGRAM = fileURLToPath(new URL("runtimes/program.conversation.ts", import.meta.url));

const RUNTIMES: [string, () => string, string[]][] = [
  ["Bun", bunProgram, ["run"]],
  ["Deno", denoProgram, ["run", "--allow-net", "--no-check", "--no-config", "--cached-only"]],
];

for (const [runtime, program, args] of RUNTIMES) {
  test(`a turn on every transport in ${runtime}, which then exits by itself`, async () => {
    const { stdout } = await promisify(execFile)(
      program(),
      [...args, PROGRAM, daemon.baseUrl, daemon.token],
      // Without the test's environment, which may point the runtimes at other places.
      { env: { PATH: process.env["PATH"] ?? "", HOME: daemon.home }, cwd: daemon.home, timeout: 100_000 },
    );
    expect(stdout.trim().split("\n")).toEqual([
      "http: end_turn 50",
      "web socket: end_turn 50",
      "standard http: end_turn 50",
      "standard web socket: end_turn 50",
    ]);
  }, 120_000);
}
