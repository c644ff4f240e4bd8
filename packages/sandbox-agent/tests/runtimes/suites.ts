// The cases for browsers and workers.

import { type Case, suites } from "../portable/index.ts";
import { cases as acp } from "./acp.ts";

export const webSuites: Record<string, Case[]> = { ...suites, acp };
