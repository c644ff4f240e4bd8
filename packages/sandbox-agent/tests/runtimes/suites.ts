// The cases for browsers and workers.

import { type Case, suites } from "../portable/index.ts";

export const webSuites: Record<string, Case[]> = { ...suites };
