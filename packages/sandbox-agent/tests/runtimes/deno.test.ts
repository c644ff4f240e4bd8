// The portable cases and the embedded mode in Deno.

import { denoProgram } from "@sandbox-agent/testkit/runtimes";
import { declareTests } from "./declare-tests.ts";
import { bundleProgram, startProgram } from "./process-runtime.ts";
import { processSuites } from "./process-suites.ts";

declareTests(processSuites, async (harness) => {
  const workplace = await bundleProgram(new URL("program.process.ts", import.meta.url), "node");
  const flags = ["run", "--quiet", "--no-prompt", "--no-config", "--allow-all"];
  return startProgram(denoProgram(), [...flags, workplace.program, harness], workplace).runtime;
});
