// The daemon, its agents and its processes end with the program that embeds them, however that ends.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { binary } from "@sandbox-agent/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundle } from "./bundle.ts";
import { allEnded, type Process, tree } from "./process-tree.ts";

let program: string;
beforeAll(async () => {
  program = await bundle(new URL("host.ts", import.meta.url));
});
afterAll(() => rmSync(dirname(program), { recursive: true }));

interface Host {
  child: ChildProcess;
  family: Process[];
  end(): Promise<[number | null, string | null]>;
}

/** Starts a host and waits until its daemon, its agent and its processes run. */
async function start(way: string): Promise<Host> {
  const env = { ...process.env, SANDBOX_AGENT_BIN: binary };
  const child = spawn(process.execPath, [program, way], { env, stdio: ["pipe", "pipe", "pipe"] });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, "exit");
  const line = await Promise.race([once(lines, "line"), ended.then(() => undefined)]);
  if (line === undefined) throw new Error(`the host ended early\n${complaints}`);
  let family = tree(Number(line[0]));
  // The daemon, the agent, the shell and its two children.
  while (family.length < 5) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    family = tree(Number(line[0]));
  }
  return { child, family, end: async () => (await ended) as [number | null, string | null] };
}

describe("the daemon and everything it started end", () => {
  test.for([
    ["nothing", 0],
    ["dispose", 0],
    ["exit", 3],
    ["throw", 1],
    ["reject", 1],
  ] as const)("when the host ends: %s", async ([way, code]) => {
    const host = await start(way);
    host.child.stdin?.end("go\n");
    expect(await host.end()).toEqual([code, null]);
    await allEnded(host.family);
  });

  test.for(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL", "SIGSEGV"] as const)(
    "when the host gets %s",
    async (signal) => {
      const host = await start("wait");
      host.child.kill(signal);
      expect(await host.end()).toEqual([null, signal]);
      await allEnded(host.family);
    },
  );
});
