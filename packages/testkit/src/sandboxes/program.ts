// The program of a sandbox in tests: small enough to be uploaded.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { binary } from "../daemon.ts";

/** Writes a script that runs the daemon under test, which is larger than any upload in a test should be. */
export function smallProgram(folder: string): string {
  const path = join(folder, "sandbox-agent");
  writeFileSync(path, `#!/bin/sh\nexec '${binary}' "$@"\n`, { mode: 0o755 });
  return path;
}
