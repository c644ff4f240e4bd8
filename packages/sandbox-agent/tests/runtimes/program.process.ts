// The program for Bun and Deno. It exits by itself once nothing is left to wait for.

import { processSuites } from "./process-suites.ts";
import { work } from "./program.ts";

await work(process.argv[2] ?? "", processSuites);
