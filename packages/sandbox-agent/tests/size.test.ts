// The core in a browser stays small.

import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";

const MAX_BYTES = 15 * 1024;

test("the core is at most 15 KB in a browser, minified and compressed", async () => {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: 'export { SandboxAgent } from "sandbox-agent";',
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    conditions: ["@sandbox-agent/source"],
    logLevel: "silent",
  });
  const [output] = outputFiles;
  const size = gzipSync(output?.contents ?? "", { level: 9 }).length;
  const inputs = Object.entries(Object.values(metafile.outputs)[0]?.inputs ?? {});
  const largest = inputs
    .toSorted(([, one], [, other]) => other.bytesInOutput - one.bytesInOutput)
    .slice(0, 10);
  const report = largest.map(([name, { bytesInOutput }]) => `${bytesInOutput} ${name}`).join("\n");
  expect(size, `${size} bytes; before compression:\n${report}`).toBeLessThanOrEqual(MAX_BYTES);
});
