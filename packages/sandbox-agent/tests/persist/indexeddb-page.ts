// Runs the common rules in a page, and reports the result of each to the test.

import { SchemaVersionError } from "sandbox-agent/persist";
import { indexedDb } from "sandbox-agent/persist/indexeddb";
import { CASES } from "./conformance.ts";

type Results = Record<string, string>;

async function attempt(run: () => Promise<void>): Promise<string> {
  try {
    await run();
    return "ok";
  } catch (error) {
    return String(error);
  }
}

function opened(name: string, version: number): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (version !== 1 || oldVersion !== 0) return;
      const sessions = request.result.createObjectStore("sessions", { keyPath: "id" });
      request.result.createObjectStore("events", { keyPath: ["sessionId", "sequence"] });
      sessions.put({ id: "old", agent: "demo", createdAt: "2026", metadata: {}, state: {} });
    };
  });
}

/** A database of the first version, one of a version to come, and a tab that has to make room for it. */
async function migrates(): Promise<void> {
  (await opened("aging", 1)).close();
  const driver = indexedDb({ name: "aging" });
  const { sessions } = await driver.list();
  if (sessions[0]?.id !== "old") throw new Error("the old record is lost");
  (await opened("aging", 7)).close();
  const error = await indexedDb({ name: "aging" })
    .get("old")
    .catch((reason: unknown) => reason);
  if (!(error instanceof SchemaVersionError)) throw new Error(`expected SchemaVersionError, found ${error}`);
}

async function runAll(): Promise<Results> {
  const results: Results = {};
  for (const { name, run } of CASES) results[name] = await attempt(() => run(() => indexedDb()));
  results["migration"] = await attempt(migrates);
  return results;
}

Object.assign(globalThis, { results: runAll() });
