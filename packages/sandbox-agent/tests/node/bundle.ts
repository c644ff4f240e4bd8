// Makes programs of TypeScript files that plain Node runs, the way a published package would.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";

/** Bundles a module with everything it imports and returns the path of the result. */
export async function bundle(file: URL): Promise<string> {
  const build = await rolldown({
    input: file.pathname,
    platform: "node",
    resolve: { conditionNames: ["@sandbox-agent/source", "node", "import", "default"] },
  });
  const path = join(mkdtempSync(join(tmpdir(), "sa-bundle-")), "program.mjs");
  await build.write({ file: path, format: "esm", codeSplitting: false });
  await build.close();
  return path;
}
