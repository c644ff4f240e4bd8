// A program that leaves work unfinished ends by itself: no open handle, no unhandled rejection.

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundle } from "../node/bundle.ts";
import { SCENARIOS } from "./scenarios.ts";

/** Longest time between the end of the work and the end of the program, on a machine that is busy. */
const PATIENCE_MS = 10_000;

let daemon: Daemon;
let program: string;

beforeAll(async () => {
  daemon = await startDaemon();
  program = await bundle(new URL("program.ts", import.meta.url));
});

afterAll(async () => {
  await daemon.stop();
  rmSync(dirname(program), { recursive: true });
});

interface Outcome {
  output: string;
  errors: string;
  ended: number | string | null;
}

async function run(name: string): Promise<Outcome> {
  const args = ["--experimental-websocket", "--no-warnings", program, name, daemon.baseUrl, daemon.token];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  let timer: NodeJS.Timeout | undefined;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ output, errors, ended: code ?? signal });
    });
  });
}

test.for(Object.keys(SCENARIOS))("%s", async (name) => {
  expect(await run(name)).toEqual({ output: "settled\n", errors: "", ended: 0 });
});
