// Starting a daemon as a child process, and what happens when that fails.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { binary, freePort } from "@sandbox-agent/testkit";
import { SandboxAgent } from "sandbox-agent";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findBinary, SpawnError, spawnSandboxAgent } from "../../src/node/index.ts";
import { alive, allEnded, tree } from "./process-tree.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sa-spawn-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a program of its own in place of the daemon. */
function script(text: string, mode = 0o755): string {
  const path = join(mkdtempSync(join(folder, "script-")), "sandbox-agent");
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, mode);
  return path;
}

async function failure(promise: Promise<unknown>): Promise<SpawnError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof SpawnError) return error;
  throw new Error(`not a SpawnError: ${error}`);
}

describe("a daemon", () => {
  test("answers with its token and is gone after disposal", async () => {
    const lines: string[] = [];
    const daemon = await spawnSandboxAgent({ binary, log: (line) => lines.push(line) });
    const family = tree(daemon.pid);
    expect(daemon.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(daemon.token).toMatch(/^[0-9a-f]{48}$/);
    const headers = { Authorization: `Bearer ${daemon.token}` };
    expect((await fetch(`${daemon.baseUrl}/v1/agents`, { headers })).status).toBe(200);
    expect((await fetch(`${daemon.baseUrl}/v1/agents`)).status).toBe(401);
    expect(readFileSync(`/proc/${daemon.pid}/cmdline`, "utf8")).not.toContain(daemon.token);
    await Promise.all([daemon.dispose(), daemon.dispose()]);
    expect(await daemon.exited).toEqual({ code: 0, signal: null });
    expect(alive(family)).toEqual([]);
    expect(lines[0]).toBe(`listening on ${daemon.baseUrl}`);
    expect(daemon.log()).toEqual(lines);
    await daemon.dispose();
  });

  test("uses the given port, token, directory and environment", async () => {
    const port = await freePort();
    const env = { SANDBOX_AGENT_NO_TOKEN: "1", SANDBOX_AGENT_TOKEN: "ignored", SPOKEN: "yes" };
    await using daemon = await spawnSandboxAgent({ binary, port, token: "chosen", cwd: folder, env });
    expect(daemon.baseUrl).toBe(`http://127.0.0.1:${port}`);
    const headers = { Authorization: "Bearer chosen", "Content-Type": "application/json" };
    const body = JSON.stringify({ command: "sh", args: ["-c", "pwd; echo $SPOKEN"] });
    const answer = await fetch(`${daemon.baseUrl}/v1/processes/run`, { method: "POST", headers, body });
    expect(((await answer.json()) as { stdout: string }).stdout).toBe(`${folder}\nyes\n`);
  });

  test("listens on all addresses and is reached on loopback", async () => {
    await using daemon = await spawnSandboxAgent({ binary, host: "0.0.0.0" });
    expect(new URL(daemon.baseUrl).hostname).toBe("127.0.0.1");
  });

  test("keeps sessions in the given data directory, and several run side by side", async () => {
    const create = async (daemon: { baseUrl: string; token: string }, id: string): Promise<number> => {
      const headers = { Authorization: `Bearer ${daemon.token}`, "Content-Type": "application/json" };
      const request = { method: "POST", headers, body: JSON.stringify({ agent: "demo" }) };
      return (await fetch(`${daemon.baseUrl}/v1/sessions/${id}`, request)).status;
    };
    const env = { XDG_DATA_HOME: folder };
    const two = await Promise.all([spawnSandboxAgent({ binary, env }), spawnSandboxAgent({ binary, env })]);
    expect(await Promise.all(two.map((daemon) => create(daemon, "same")))).toEqual([201, 201]);
    await Promise.all(two.map((daemon) => daemon.dispose()));

    const dataDir = join(folder, "data");
    const first = await spawnSandboxAgent({ binary, dataDir });
    expect(await create(first, "kept")).toBe(201);
    const refused = await failure(spawnSandboxAgent({ binary, dataDir }));
    expect(refused.code).toBe("exited");
    expect(refused.message).toMatch(/in use/);
    await first.dispose();
    await using second = await spawnSandboxAgent({ binary, dataDir });
    const headers = { Authorization: `Bearer ${second.token}` };
    expect((await fetch(`${second.baseUrl}/v1/sessions/kept`, { headers })).status).toBe(200);
  });

  test("is one of many that are started at once, of which one is aborted", async () => {
    const reason = new Error("not this one");
    const stop = new AbortController();
    const starts = Array.from({ length: 5 }, (_, index) =>
      spawnSandboxAgent({ binary, ...(index === 2 ? { signal: stop.signal } : {}) }),
    );
    stop.abort(reason);
    const results = await Promise.allSettled(starts);
    const daemons = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(results[2]).toEqual({ status: "rejected", reason });
    expect(new Set(daemons.map(({ baseUrl }) => baseUrl)).size).toBe(4);
    expect(new Set(daemons.map(({ token }) => token)).size).toBe(4);
    const families = daemons.flatMap(({ pid }) => tree(pid));
    await Promise.all(daemons.map((daemon) => daemon.dispose()));
    expect(alive(families)).toEqual([]);
  });

  test("that is killed reports its end and can be disposed of", async () => {
    const daemon = await spawnSandboxAgent({ binary });
    process.kill(daemon.pid, "SIGKILL");
    expect(await daemon.exited).toEqual({ code: null, signal: "SIGKILL" });
    await daemon.dispose();
  });

  test("survives a log function that throws", async () => {
    await using daemon = await spawnSandboxAgent({
      binary,
      log: () => {
        throw new Error("bad log");
      },
    });
    expect((await fetch(`${daemon.baseUrl}/v1/health`)).status).toBe(200);
  });

  test("that does not stop is killed with its group", async () => {
    // Shells close the input of what they run in the background, which would stop the daemon.
    const stubborn = script(`trap '' TERM; exec 3<&0; ${binary} "$@" <&3 & while :; do sleep 0.1; done`);
    const daemon = await spawnSandboxAgent({ binary: stubborn, stopTimeoutMs: 100 });
    const family = tree(daemon.pid);
    expect(family.length).toBeGreaterThan(1);
    await daemon.dispose();
    expect(await daemon.exited).toEqual({ code: null, signal: "SIGKILL" });
    await allEnded(family);
  });
});

describe("a failing start", () => {
  test("names the port that is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const error = await failure(spawnSandboxAgent({ binary, port }));
    server.close();
    expect(error.code).toBe("port_in_use");
    expect(error.message).toContain(`port ${port} is in use`);
    expect(error.log.join("\n")).toContain("cannot listen");
  });

  test("says that the program does not exist, and where it was looked for", async () => {
    const missing = await failure(spawnSandboxAgent({ binary: join(folder, "nothing") }));
    expect(missing.code).toBe("binary_not_found");
    const env = { PATH: folder };
    const from = `file://${folder}/index.js`;
    expect(() => findBinary({ env, from })).toThrow(
      /SANDBOX_AGENT_BIN: not set\n.*npm package @sandbox-agent\/cli-\S+: not installed\n.*PATH: no 'sandbox-agent' in/,
    );
    expect(() => findBinary({ env: { SANDBOX_AGENT_BIN: "gone" } })).toThrow(/SANDBOX_AGENT_BIN is 'gone'/);
  });

  test("says that the program cannot be executed", async () => {
    const text = await failure(spawnSandboxAgent({ binary: script("exit 0", 0o644) }));
    expect(text.code).toBe("binary_not_executable");
    const folderAsProgram = await failure(spawnSandboxAgent({ binary: folder }));
    expect(folderAsProgram.code).toBe("binary_not_found");
  });

  test("has the exit code and the last lines of a program that ends at once", async () => {
    const error = await failure(spawnSandboxAgent({ binary: script("echo one; echo two >&2; exit 7") }));
    expect(error).toMatchObject({ code: "exited", end: { code: 7, signal: null } });
    expect([...error.log].sort()).toEqual(["one", "two"]);
    expect(error.message).toContain("exit code 7");
  });

  test("has the mistake in a flag", async () => {
    const error = await failure(spawnSandboxAgent({ binary, args: ["--nonsense"] }));
    expect(error).toMatchObject({ code: "exited", end: { code: 64 } });
    expect(error.message).toContain("--nonsense");
  });

  test("ends a program that never listens, and one that is never healthy", async () => {
    const mute = script("echo starting; exec sleep 1000");
    const deaf = script(`echo "listening on http://127.0.0.1:${await freePort()}"; exec sleep 1000`);
    // Long enough for a busy machine to start a shell.
    const healthTimeoutMs = 4_000;
    const [silent, sick, connecting] = await Promise.all([
      failure(spawnSandboxAgent({ binary: mute, healthTimeoutMs })),
      failure(spawnSandboxAgent({ binary: deaf, healthTimeoutMs })),
      failure(SandboxAgent.connect({ spawn: { binary: deaf }, healthTimeoutMs })),
    ]);
    expect(silent).toMatchObject({ code: "unhealthy", log: ["starting"] });
    expect(sick.code).toBe("unhealthy");
    expect((sick.cause as Error).message).toContain("/v1/health failed");
    expect(connecting.message).toContain("within 4000 ms");
  });

  test("is aborted by the signal, at once and in the middle", async () => {
    const reason = new Error("changed my mind");
    await expect(spawnSandboxAgent({ binary, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const stop = new AbortController();
    const pids: number[] = [];
    const slow = script('echo "pid $$"; exec sleep 1000');
    const log = (line: string): void => {
      pids.push(Number(line.slice(4)));
      stop.abort(reason);
    };
    await expect(spawnSandboxAgent({ binary: slow, signal: stop.signal, log })).rejects.toBe(reason);
    expect(pids.flatMap(tree)).toEqual([]);
  });
});

describe("the program", () => {
  test("comes from the npm package of this platform, which need not be executable yet", () => {
    const bin = join(folder, `node_modules/@sandbox-agent/cli-${process.platform}-${process.arch}/bin`);
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "sandbox-agent"), "", { mode: 0o644 });
    const found = findBinary({ env: { PATH: "/nowhere" }, from: `file://${folder}/index.js` });
    expect(found).toBe(join(bin, "sandbox-agent"));
  });

  test("comes from PATH if nothing else is there", () => {
    const path = script("exit 0");
    const env = { PATH: `/nowhere:${dirname(path)}` };
    expect(findBinary({ env, from: `file://${folder}/index.js` })).toBe(path);
  });
});
