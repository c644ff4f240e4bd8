// The portable cases and the embedded mode in Bun.

import { declareTests } from "./declare-tests.ts";
import { bundleProgram, installedProgram, startProgram } from "./process-runtime.ts";
import { processSuites } from "./process-suites.ts";

const ARCHITECTURE = process.arch === "arm64" ? "aarch64" : process.arch;

declareTests(processSuites, async (harness) => {
  // The platform's package has the program unless an install script has moved it into the main one.
  const bun = installedProgram(`@oven/bun-${process.platform}-${ARCHITECTURE}/bin/bun`, "bun/bin/bun.exe");
  const workplace = await bundleProgram(new URL("program.process.ts", import.meta.url), "node");
  return startProgram(bun, ["run", workplace.program, harness], workplace).runtime;
});
