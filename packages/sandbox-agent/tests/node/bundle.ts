// Makes programs of TypeScript files that plain Node runs, the way a published package would.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

/** Bundles a module with everything it imports and returns the path of the result. */
export async function bundle(file: URL): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), "sa-bundle-")), "program.mjs");
  await build({
    entryPoints: [file.pathname],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["@sandbox-agent/source"],
    logLevel: "silent",
  });
  return outfile;
}
