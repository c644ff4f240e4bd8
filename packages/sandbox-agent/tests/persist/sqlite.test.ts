// The SQLite driver on real databases: the common rules, two processes on one file, migrations.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { bunProgram } from "@sandbox-agent/testkit/runtimes";
import Database from "libsql";
import { PersistError, SchemaVersionError, storedEvents } from "sandbox-agent/persist";
import { sqlite } from "sandbox-agent/persist/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { migrations, SCHEMA } from "../../src/persist/sql.ts";
import { bundle } from "../node/bundle.ts";
import { CASES } from "./conformance.ts";

const folder = mkdtempSync(join(tmpdir(), "sa-sqlite-"));
const open = (name: string): Database.Database => new Database(join(folder, name));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("sqlite", () => {
  for (const { name, run } of CASES) test(name, () => run(() => sqlite(open("rules.db"))));
});

test("processes that write to one file at once store each event once", async () => {
  const file = join(folder, "shared.db");
  const program = await bundle(new URL("sqlite-writer.ts", import.meta.url));
  const library = createRequire(import.meta.url).resolve("libsql");
  const write = (): Promise<unknown> => promisify(execFile)(process.execPath, [program, library, file, "80"]);
  await Promise.all([write(), write(), write()]);
  const driver = sqlite(open("shared.db"));
  const found: number[] = [];
  for await (const event of storedEvents(driver, "shared")) found.push(event.sequence);
  expect(found).toEqual(Array.from({ length: 80 }, (_, index) => index + 1));
  const record = await driver.get("shared");
  expect(record?.eventCount).toBe(80);
  expect(record?.metadata).toEqual({ writes: 3 * 80 });
}, 120_000);

test("the SQLite of Bun follows the common rules", async () => {
  const program = await bundle(new URL("sqlite-rules.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(bunProgram(), [
    program,
    "bun:sqlite",
    "Database",
    join(folder, "bun.db"),
  ]);
  expect(stdout.trim().split("\n")).toEqual(CASES.map(({ name }) => name));
});

test("an older schema is migrated with its data; a newer one is refused", async () => {
  const database = open("aging.db");
  const [first] = migrations({ text: "TEXT", integer: "INTEGER" });
  database.exec(`CREATE TABLE ${SCHEMA} (version INTEGER NOT NULL)`);
  for (const statement of first ?? []) database.exec(statement);
  database.exec(`INSERT INTO ${SCHEMA} VALUES (1)`);
  const at = "2026-01-01T00:00:00.000Z";
  database.exec(
    `INSERT INTO sandbox_agent_sessions (id, agent, metadata, created_at, updated_at, state, fence, revision, event_count, first_sequence, last_sequence)
     VALUES ('old', 'demo', '{}', '${at}', '${at}', '{}', 0, 1, 0, 0, 0)`,
  );
  expect((await sqlite(database).get("old"))?.createdAt).toBe(at);
  expect(database.prepare(`SELECT max(version) AS version FROM ${SCHEMA}`).get()).toMatchObject({
    version: 2,
  });
  database.exec(`INSERT INTO ${SCHEMA} VALUES (99)`);
  await expect(sqlite(database).get("old")).rejects.toThrow(SchemaVersionError);
});

test("a failure has the message of the database", async () => {
  const database = open("closed.db");
  database.close();
  const error = await sqlite(database)
    .get("any")
    .catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(PersistError);
  expect((error as PersistError).message).toMatch(/SQLite failed: .*(closed|open)/);
});
