// The Postgres driver on a real server: the common rules, migrations, and processes that start at once.

import { type Postgres, startPostgres } from "@sandbox-agent/testkit/postgres";
import pg from "pg";
import { PersistError, SchemaVersionError } from "sandbox-agent/persist";
import { postgres } from "sandbox-agent/persist/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrations, SCHEMA } from "../../src/persist/sql.ts";
import { CASES } from "./conformance.ts";

let server: Postgres;
const pools: pg.Pool[] = [];

/** Opens a database of its own, or one more pool on it. */
async function database(name: string): Promise<pg.Pool> {
  const admin = new pg.Client(server.connection);
  await admin.connect();
  const { rows } = await admin.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
  if (rows.length === 0) await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const pool = new pg.Pool({ ...server.connection, database: name, max: 4 });
  pools.push(pool);
  return pool;
}

beforeAll(async () => {
  server = await startPostgres();
}, 120_000);

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await server?.stop();
}, 120_000);

describe("postgres", () => {
  let pool: pg.Pool;
  beforeAll(async () => {
    pool = await database("rules");
  });
  for (const { name, run } of CASES) test(name, () => run(() => postgres(pool)));
});

test("a single connection is enough, and it stays open", async () => {
  await database("single");
  const client = new pg.Client({ ...server.connection, database: "single" });
  await client.connect();
  const driver = postgres(client);
  for (const { run } of CASES.slice(0, 3)) await run(() => driver);
  await driver.close();
  expect((await client.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  await client.end();
});

test("many processes may create the tables at once", async () => {
  const racing = [await database("racing")];
  for (let more = 0; more < 3; more += 1) racing.push(await database("racing"));
  const pages = await Promise.all(racing.map((pool) => postgres(pool).list()));
  expect(pages.every(({ sessions }) => sessions.length === 0)).toBe(true);
});

test("an older schema is migrated with its data; a newer one is refused", async () => {
  const pool = await database("aging");
  const [first] = migrations({ text: "TEXT", integer: "BIGINT" });
  await pool.query(`CREATE TABLE ${SCHEMA} (version BIGINT PRIMARY KEY)`);
  for (const statement of first ?? []) await pool.query(statement);
  await pool.query(`INSERT INTO ${SCHEMA} VALUES (1)`);
  const at = "2026-01-01T00:00:00.000Z";
  await pool.query(
    `INSERT INTO sandbox_agent_sessions (id, agent, metadata, created_at, updated_at, state, fence, revision, event_count, first_sequence, last_sequence)
     VALUES ('old', 'demo', '{}', $1, $1, '{}', 0, 1, 0, 0, 0)`,
    [at],
  );
  expect((await postgres(pool).get("old"))?.createdAt).toBe(at);
  const { rows } = await pool.query(
    "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'sandbox_agent%by_age'",
  );
  expect(rows).toHaveLength(1);
  await pool.query(`INSERT INTO ${SCHEMA} VALUES (99)`);
  await expect(postgres(pool).get("old")).rejects.toThrow(SchemaVersionError);
});

test("a database that fails gives a typed error, and the driver works once it is back", async () => {
  const pool = await database("flaky");
  let isDown = true;
  const driver = postgres({
    query: (text, values) =>
      isDown ? Promise.reject(new Error("connection refused")) : pool.query(text, values),
  });
  const error = await driver.get("x").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PersistError);
  expect(error).toMatchObject({ message: "Postgres failed: connection refused" });
  isDown = false;
  expect(await driver.get("x")).toBeUndefined();
});
