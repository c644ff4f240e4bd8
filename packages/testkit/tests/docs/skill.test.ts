// skills/sandbox-agent: a session that configures the repository's skills finds it where its agent looks.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startDaemon } from "@sandbox-agent/testkit";
import { SandboxAgent } from "sandbox-agent";
import { expect, test } from "vitest";
import { ROOT, read } from "./pages.ts";

test("an agent gets the skill", async () => {
  await using daemon = await startDaemon();
  const client = await SandboxAgent.connect(daemon.connection);
  const source = { type: "local" as const, source: join(ROOT, "skills") };
  await client.sessions.create({ agent: "demo", skills: { own: { sources: [source] } } });
  const placed = readFileSync(join(daemon.home, ".agents/skills/sandbox-agent/SKILL.md"), "utf8");
  expect(placed).toBe(read("skills/sandbox-agent/SKILL.md"));
});
