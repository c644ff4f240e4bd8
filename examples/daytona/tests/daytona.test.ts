// The real SDK against a fake of the service on loopback; the daemon really runs.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeDaytona, freePort, smallProgram } from "@sandbox-agent/testkit/sandboxes";
import { afterEach, expect, test, vi } from "vitest";
import { example } from "../src/index.ts";

afterEach(() => vi.unstubAllEnvs());

test("answers from a sandbox and destroys it", async () => {
  await using fake = await new FakeDaytona().listen();
  for (const [name, value] of Object.entries(fake.env)) vi.stubEnv(name, value);
  const file = smallProgram(mkdtempSync(join(tmpdir(), "sa-example-")));
  let output = "";
  const print = (text: string): void => {
    output += text;
  };
  await example("demo", "say Hello!", print, { program: { file }, port: await freePort() });
  expect(output).toContain("Hello!");
  expect(output).toMatch(/^sandbox \S+ at http/);
  expect(fake.machines.size).toBe(0);
});
