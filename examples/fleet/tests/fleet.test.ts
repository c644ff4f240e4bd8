import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "@sandbox-agent/testkit";
import { startPostgres } from "@sandbox-agent/testkit/postgres";
import pg from "pg";
import type { UniversalEvent } from "sandbox-agent";
import { local } from "sandbox-agent/local";
import { storedEvents } from "sandbox-agent/persist";
import { postgres } from "sandbox-agent/persist/postgres";
import { expect, test } from "vitest";
import { example } from "../src/index.ts";

test("a conversation survives the loss of its sandbox in the middle of a turn", {
  timeout: 120_000,
}, async () => {
  const server = await startPostgres();
  const database = new pg.Pool(server.connection);
  const folder = mkdtempSync(join(tmpdir(), "sa-fleet-"));
  try {
    const store = postgres(database);
    const sandbox = (name: string) => {
      const dataDir = join(folder, name);
      return local({ binary, dataDir, cwd: folder, env: { HOME: folder } });
    };
    const killed: number[] = [];
    const lines: string[] = [];
    const answer = await example({
      store,
      sandboxes: ["one", "two", "three"].map(sandbox),
      destroy: (id) => {
        killed.push(Number(id));
        process.kill(Number(id), "SIGKILL");
      },
      print: (line) => lines.push(line),
    });
    expect(answer).toContain("And here it continues.");
    expect(answer).toContain("plum");
    expect(killed).toHaveLength(1);
    expect(lines.at(-1)).toBe("the agent remembers: replayed");

    const [session] = (await store.list()).sessions;
    const log: UniversalEvent[] = [];
    for await (const { data } of storedEvents(store, session?.id ?? "")) log.push(data as UniversalEvent);
    expect(log.map(({ id }) => id)).toEqual(log.map((_, index) => index + 1));
    const ends = log.flatMap((event) =>
      event.type === "turnEnded" ? [event.data.turnEnded.stopReason] : [],
    );
    expect(ends).toEqual(["endTurn", "unknown", "endTurn"]);
  } finally {
    await database.end();
    await server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
