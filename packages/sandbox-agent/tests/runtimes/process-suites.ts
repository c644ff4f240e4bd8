// The cases for runtimes that can start processes.

import type { Case } from "../portable/index.ts";
import { cases as embedded } from "./embedded.ts";
import { webSuites } from "./suites.ts";

export const processSuites: Record<string, Case[]> = { ...webSuites, embedded };
