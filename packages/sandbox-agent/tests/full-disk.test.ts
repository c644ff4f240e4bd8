// A disk that is full: 507 is an error of its own, and what was there stays.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, startDaemon } from "@sandbox-agent/testkit";
import { InsufficientStorageError, SandboxAgent } from "sandbox-agent";
import { expect, onTestFinished, test } from "vitest";

/** A daemon may mount a small disk only in a namespace of its own, which some systems forbid. */
const isPossible = spawnSync("unshare", ["-Urm", "true"]).status === 0;

test.runIf(isPossible)("a full disk is an InsufficientStorageError", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sa-disk-"));
  const wrapper = join(folder, "daemon.sh");
  const mount = 'mkdir -p small && mount -t tmpfs -o size=1m none small && exec "$@"';
  writeFileSync(wrapper, `#!/bin/sh\nexec unshare -Urm sh -c '${mount}' sh '${binary}' "$@"\n`);
  chmodSync(wrapper, 0o755);
  const daemon = await startDaemon({ binary: wrapper });
  onTestFinished(async () => {
    await daemon.stop();
    rmSync(folder, { recursive: true });
  });
  const { fs } = await SandboxAgent.connect(daemon.connection);
  await fs.write("small/kept", "old");
  const write = fs.write("small/kept", new Uint8Array(3_000_000));
  const error = await write.catch((error: unknown) => error);
  expect(error).toBeInstanceOf(InsufficientStorageError);
  expect(error).toMatchObject({ status: 507, code: "insufficient_storage" });
  expect(await fs.readText("small/kept")).toBe("old");
  await fs.write("small/fits", new Uint8Array(500_000));
});
