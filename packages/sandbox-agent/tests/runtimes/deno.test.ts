// The portable cases and the embedded mode in Deno.

import { declareTests } from "./declare-tests.ts";
import { bundleProgram, installedProgram, startProgram } from "./process-runtime.ts";
import { processSuites } from "./process-suites.ts";

const PLATFORM = `${process.platform}-${process.arch}`;

declareTests(processSuites, async (harness) => {
  const deno = installedProgram(`@deno/${PLATFORM}-glibc/deno`, `@deno/${PLATFORM}/deno`);
  const workplace = await bundleProgram(new URL("program.process.ts", import.meta.url), "node");
  const flags = ["run", "--quiet", "--no-prompt", "--no-config", "--allow-all"];
  return startProgram(deno, [...flags, workplace.program, harness], workplace).runtime;
});
