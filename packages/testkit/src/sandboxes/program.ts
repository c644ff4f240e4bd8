// The needs of a sandbox in tests: a small program to upload, and a port that is free.

import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { binary } from "../daemon.ts";

/** Writes a script that runs the daemon under test, which is larger than any upload in a test should be. */
export function smallProgram(folder: string): string {
  const path = join(folder, "sandbox-agent");
  writeFileSync(path, `#!/bin/sh\nexec '${binary}' "$@"\n`, { mode: 0o755 });
  return path;
}

/** Returns a free port of loopback. Sandboxes of fakes share the network of this machine. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
