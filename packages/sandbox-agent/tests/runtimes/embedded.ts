// The embedded mode: the program under test starts a daemon of its own. The harness sets SANDBOX_AGENT_BIN.

import { SandboxAgent } from "sandbox-agent";
import { spawnSandboxAgent } from "sandbox-agent/node";
import { check, same } from "../portable/assert.ts";
import type { Case } from "../portable/index.ts";

export const cases: Case[] = [
  {
    name: "a daemon starts, answers, and is gone after disposal",
    async run() {
      const daemon = await spawnSandboxAgent();
      const client = await SandboxAgent.connect(daemon);
      const session = await client.sessions.create({ agent: "demo" });
      same((await session.send("say hello").done).text, "hello");
      await daemon.dispose();
      same(await daemon.exited, { code: 0, signal: null });
      const refused = await fetch(`${daemon.baseUrl}/v1/health`).then(
        () => false,
        () => true,
      );
      check(refused, "the daemon still answers");
    },
  },
  {
    name: "a daemon that is killed resolves `exited` with the signal",
    async run() {
      await using daemon = await spawnSandboxAgent();
      process.kill(daemon.pid, "SIGKILL");
      same(await daemon.exited, { code: null, signal: "SIGKILL" });
    },
  },
];
