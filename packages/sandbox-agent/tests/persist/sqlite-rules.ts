// Runs the common rules on the SQLite of a runtime, and prints the names of those that hold.

import { type SqliteDatabase, sqlite } from "sandbox-agent/persist/sqlite";
import { CASES } from "./conformance.ts";

const [module = "", className = "", file = ""] = process.argv.slice(2);
const library = (await import(module)) as Record<string, new (file: string) => SqliteDatabase>;
const Database = library[className];
if (Database === undefined) throw new Error(`${module} has no ${className}`);
for (const { name, run } of CASES) {
  await run(() => sqlite(new Database(file)));
  process.stdout.write(`${name}\n`);
}
