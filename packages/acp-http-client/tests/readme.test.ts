// The snippets of the README run as they are, with only the address replaced.

import { readFileSync } from "node:fs";
import * as sdk from "@agentclientprotocol/sdk";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import * as acp from "acp-http-client";
import { transform } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.stop());

const README = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const SNIPPETS = [...README.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);

/** Runs a snippet and returns what it has shown. */
async function run(snippet: string): Promise<unknown[][]> {
  const code = snippet
    .replace(/^import .*\n/gm, "")
    .replaceAll("http://127.0.0.1:2468", daemon.baseUrl)
    .replaceAll("Bearer secret", `Bearer ${daemon.token}`);
  const { code: script } = await transform(`async function main() {\n${code}\n}`, { loader: "ts" });
  const shown: unknown[][] = [];
  const names = {
    ...sdk,
    ...acp,
    token: daemon.token,
    console: { log: (...values: unknown[]) => shown.push(values) },
  };
  const body = `${script}\nreturn main();`;
  await new Function(...Object.keys(names), body)(...Object.values(names));
  return shown;
}

test("every snippet of the README is tested", () => {
  expect(SNIPPETS).toHaveLength(3);
});

test("the first snippet prompts an agent", async () => {
  const shown = JSON.stringify(await run(SNIPPETS[0] ?? ""));
  expect(shown).toContain("Hello!");
  expect(shown).toContain("end_turn");
});

test("the snippet for the official SDK prints the agent's updates", async () => {
  expect(JSON.stringify(await run(SNIPPETS[1] ?? ""))).toContain('"text":"hello"');
});

test("the snippet for requests of the agent answers one and sees the end", async () => {
  const shown = JSON.stringify(await run(SNIPPETS[2] ?? ""));
  expect(shown).toContain("allow_once");
  expect(shown).toContain("closed");
});
