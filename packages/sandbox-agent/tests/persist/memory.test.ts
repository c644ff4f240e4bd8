// The driver in memory: the common rules, and its bounds.

import { memory } from "sandbox-agent/persist/memory";
import { describe, expect, test } from "vitest";
import { CASES } from "./conformance.ts";

const at = "2026-01-01T00:00:00.000Z";
const fields = { agent: "demo", metadata: {}, state: {}, fence: 0, createdAt: at, updatedAt: at };

describe("memory", () => {
  const shared = memory();
  for (const { name, run } of CASES) test(name, () => run(() => shared));
});

test("the oldest events leave a full log, and it can be continued", async () => {
  const driver = memory({ maxEvents: 10 });
  await driver.put({ id: "long", ...fields }, 0);
  for (let sequence = 1; sequence <= 25; sequence += 1) {
    await driver.append("long", [{ sequence, createdAt: at, data: sequence }]);
  }
  expect(await driver.get("long")).toMatchObject({ eventCount: 10, firstSequence: 16, lastSequence: 25 });
  const read = await driver.read("long", { after: 18 });
  expect(read.map(({ sequence }) => sequence)).toEqual([19, 20, 21, 22, 23, 24, 25]);
  const small = memory({ maxCharacters: 100 });
  await small.put({ id: "large", ...fields }, 0);
  await small.append("large", [
    { sequence: 1, createdAt: at, data: "x".repeat(80) },
    { sequence: 2, createdAt: at, data: "y".repeat(200) },
  ]);
  expect(await small.get("large")).toMatchObject({ eventCount: 1, lastSequence: 2 });
});

test("the session that was idle longest leaves a full store, one that ended first", async () => {
  const driver = memory({ maxSessions: 2 });
  const later = "2026-01-02T00:00:00.000Z";
  await driver.put({ id: "running", ...fields }, 0);
  await driver.put({ id: "ended", ...fields, updatedAt: later, endedAt: later }, 0);
  await driver.put({ id: "third", ...fields, updatedAt: later }, 0);
  expect((await driver.list()).sessions.map(({ id }) => id)).toEqual(["third", "running"]);
  await driver.put({ id: "fourth", ...fields, updatedAt: later }, 0);
  expect((await driver.list()).sessions.map(({ id }) => id)).toEqual(["third", "fourth"]);
});
