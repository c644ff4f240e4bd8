// A process that writes to a SQLite file which other processes write to as well.

import type Libsql from "libsql";
import { ensureRecord, updateRecord } from "sandbox-agent/persist";
import { sqlite } from "sandbox-agent/persist/sqlite";

const [library = "", file = "", count = "0"] = process.argv.slice(2);
const { default: Database } = (await import(library)) as { default: typeof Libsql };
const driver = sqlite(new Database(file));
const at = "2026-01-01T00:00:00.000Z";
const fields = { agent: "demo", metadata: { writes: 0 }, state: {}, fence: 0, createdAt: at, updatedAt: at };
await ensureRecord(driver, { id: "shared", ...fields });
for (let sequence = 1; sequence <= Number(count); sequence += 1) {
  await driver.append("shared", [{ sequence, createdAt: at, data: { sequence } }]);
  await updateRecord(driver, "shared", (record) => ({
    ...record,
    metadata: { writes: Number(record.metadata["writes"]) + 1 },
  }));
}
