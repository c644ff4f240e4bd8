// The Postgres of the testkit: a real server, private to the test, gone afterwards.

import { existsSync } from "node:fs";
import { startPostgres } from "@sandbox-agent/testkit/postgres";
import pg from "pg";
import { expect, test } from "vitest";

test("two servers run side by side, ask for a password, and leave nothing behind", {
  timeout: 120_000,
}, async () => {
  const [one, other] = await Promise.all([startPostgres(), startPostgres()]);
  const client = new pg.Client(one.connection);
  await client.connect();
  const { rows } = await client.query("SHOW data_directory");
  const directory: string = rows[0].data_directory;
  expect(existsSync(directory)).toBe(true);
  await client.end();
  const stranger = new pg.Client({ ...other.connection, password: one.connection.password });
  await expect(stranger.connect()).rejects.toThrow("password authentication failed");
  await Promise.all([one.stop(), other.stop()]);
  await one.stop();
  expect(existsSync(directory)).toBe(false);
});
