// All portable cases, by file.

import type { Case } from "./case.ts";
import { cases as daemon } from "./daemon.ts";
import { cases as errors } from "./errors.ts";
import { cases as files } from "./files.ts";
import { cases as processes } from "./processes.ts";
import { cases as resilience } from "./resilience.ts";
import { cases as sessions } from "./sessions.ts";

export type { Case, Command, Environment } from "./case.ts";
export { CONFIG } from "./config.ts";

export const suites: Record<string, Case[]> = { sessions, files, processes, daemon, errors, resilience };
