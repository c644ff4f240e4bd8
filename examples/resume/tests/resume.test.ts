import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDaemon } from "@sandbox-agent/testkit";
import { SandboxAgent } from "sandbox-agent";
import { expect, test } from "vitest";
import { example } from "../src/index.ts";

test("nothing is missed and nothing comes twice, across an interruption and a restart of the daemon", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sa-resume-"));
  const daemon = await startDaemon();
  try {
    const client = await SandboxAgent.connect(daemon.connection);
    const session = await client.sessions.create({ agent: "demo" });
    const turn = session.send("stream 60 10 every 10");
    const seen: number[] = [];
    const read = (stopAt: number) => {
      const controller = new AbortController();
      return example({
        ...daemon.connection,
        sessionId: session.id,
        offsetFile: join(folder, "offset"),
        signal: controller.signal,
        handle: ({ id }) => {
          seen.push(id);
          if (id >= stopAt) queueMicrotask(() => controller.abort(new Error("interrupted")));
        },
      });
    };
    await expect(read(10)).rejects.toThrow("interrupted");
    await expect(read(20)).rejects.toThrow("interrupted");
    await turn.done;
    const rest = read(Number.POSITIVE_INFINITY);
    await daemon.restart();
    await session.send("say after the restart").done;
    await session.terminate();
    await rest;
    const { lastEventId } = await session.refresh();
    // The event at which it was interrupted was handled, and may not have been stored.
    expect([...new Set(seen)]).toEqual(Array.from({ length: lastEventId }, (_, index) => index + 1));
    expect(seen.length - lastEventId).toBeLessThanOrEqual(2);
  } finally {
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
