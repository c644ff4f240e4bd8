// DATABASE_URL=postgres://… npm start

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { local } from "sandbox-agent/local";
import { postgres } from "sandbox-agent/persist/postgres";
import { example } from "./index.ts";

const database = new pg.Pool({ connectionString: process.env["DATABASE_URL"] });
const sandbox = () => local({ dataDir: mkdtempSync(join(tmpdir(), "fleet-")) });
await example({
  store: postgres(database),
  sandboxes: [sandbox(), sandbox(), sandbox()],
  destroy: (sandboxId) => process.kill(Number(sandboxId), "SIGKILL"),
  print: (line) => console.log(line),
});
await database.end();
