// The promises of every provider, tested against its fake; and once for real if the provider's key is set.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeProvider, type FakeStep, freePort, smallProgram } from "@sandbox-agent/testkit/sandboxes";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SandboxAgent, SandboxStartError, TokenInvalidError } from "../../src/index.ts";
import type { DaemonOptions, Program } from "../../src/providers/daemon.ts";
import type { SandboxProvider } from "../../src/providers/provider.ts";
import { tree } from "../node/process-tree.ts";

export interface Fake {
  fake: FakeProvider;
  /** Variables that lead the SDK to the fake. */
  env?: Record<string, string>;
  names?: Disposable;
}

export interface Suite {
  name: string;
  start(): Promise<Fake>;
  provider(options: DaemonOptions): SandboxProvider;
  /** Steps that the fake can let fail. */
  steps: readonly FakeStep[];
  pauses: boolean;
  /** True if the address of the daemon changes with a pause. */
  moves?: boolean;
  /** Names of the provider for steps that the fake interferes with, if not the same. */
  reported?: Partial<Record<FakeStep, string>>;
}

async function failure(promise: Promise<unknown>): Promise<SandboxStartError> {
  const error = await promise.then(
    () => new Error("it succeeded"),
    (reason: unknown) => reason,
  );
  if (error instanceof SandboxStartError) return error;
  throw error;
}

async function say(client: SandboxAgent, text: string): Promise<string> {
  const session = await client.sessions.create({ agent: "demo" });
  return (await session.send(text).done).text;
}

export function providerSuite(suite: Suite): void {
  let folder: string;
  let running: Fake;
  let saved: NodeJS.ProcessEnv;
  let port: number;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "sa-provider-"));
    saved = { ...process.env };
    running = await suite.start();
    Object.assign(process.env, running.env);
    port = await freePort();
  });
  afterEach(async () => {
    running.names?.[Symbol.dispose]();
    await running.fake[Symbol.asyncDispose]();
    for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
    Object.assign(process.env, saved);
    rmSync(folder, { recursive: true });
  });

  const uploads = suite.steps.includes("upload");
  /** The program is uploaded where that is possible, or it is installed by a command. */
  const programs = (step?: FakeStep): Program => {
    const path = smallProgram(folder);
    if (uploads && step !== "install") return { file: path };
    return { install: `PATH='${folder}':$PATH` };
  };
  const provide = (options: DaemonOptions = {}): SandboxProvider =>
    suite.provider({ port, program: programs(), ...options });

  describe(suite.name, () => {
    test("starts a daemon that works, and leaves nothing behind", async () => {
      const { fake } = running;
      const client = await SandboxAgent.start({ sandbox: provide({ env: { GREETING: "hello" } }) });
      expect(client.sandbox?.provider).toBe(suite.name);
      expect(fake.machines.has(client.sandbox?.id ?? "")).toBe(true);
      expect(await say(client, "say ready")).toContain("ready");
      expect(await client.sandbox?.logs?.()).toContain("listening on");
      expect(client.token).toMatch(/^[0-9a-f]{48}$/);
      const family = [...fake.machines.values()].flatMap(({ pids }) => pids.flatMap(tree));
      const commands = family.map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, "utf8")).join("\n");
      expect(commands).toContain("--port");
      expect(commands).not.toContain(client.token);
      await client.dispose();
      expect(fake.machines.size).toBe(0);
      expect(fake.unknown).toEqual([]);
      // A sandbox that is gone can be destroyed again.
      await client.sandbox?.destroy();
    });

    test("is found again by its id, with the token that it was created with", async () => {
      const first = await SandboxAgent.start({ sandbox: provide(), keep: true });
      const sandboxId = first.sandbox?.id ?? "";
      const { token = "" } = first;
      await first.dispose();
      await using again = await SandboxAgent.start({ sandbox: provide(), sandboxId, token });
      expect(again.sandbox?.id).toBe(sandboxId);
      expect(await say(again, "say again")).toContain("again");
      const wrong = SandboxAgent.start({ sandbox: provide(), sandboxId, token: "wrong" });
      await expect(wrong).rejects.toBeInstanceOf(TokenInvalidError);
      expect(running.fake.machines.size).toBe(1);
      await again.sandbox?.destroy();
      expect(running.fake.machines.size).toBe(0);
    });

    test.runIf(suite.pauses)("continues after a pause", async () => {
      await using client = await SandboxAgent.start({ sandbox: provide() });
      const session = await client.sessions.create({ id: "kept", agent: "demo" });
      expect((await session.send("say before").done).text).toContain("before");
      const way = await client.sandbox?.endpoint();
      await client.sandbox?.pause?.();
      await client.sandbox?.resume?.();
      if (suite.moves === true) expect(await client.sandbox?.endpoint()).not.toEqual(way);
      else expect(await client.sandbox?.endpoint()).toEqual(way);
      expect((await client.sessions.get("kept")).id).toBe("kept");
      expect(await say(client, "say after")).toContain("after");
    });

    test.for(suite.steps)("reports the step %s that failed, and leaves nothing behind", async (step) => {
      running.fake.before = (now) => {
        if (now === step) throw new Error(`no ${step} today`);
      };
      const error = await failure(SandboxAgent.start({ sandbox: provide({ program: programs(step) }) }));
      expect(error.step).toBe(suite.reported?.[step] ?? step);
      expect(error.provider).toBe(suite.name);
      expect(error.leftover).toBeUndefined();
      expect(running.fake.machines.size).toBe(0);
    });

    test.for(suite.steps)("is aborted in the step %s, and leaves nothing behind", async (step) => {
      const stop = new AbortController();
      const reason = new Error("changed my mind");
      running.fake.before = async (now) => {
        if (now !== step) return;
        stop.abort(reason);
        await new Promise((resolve) => setTimeout(resolve, 100));
      };
      const start = SandboxAgent.start({
        sandbox: provide({ program: programs(step) }),
        signal: stop.signal,
      });
      await expect(start).rejects.toBe(reason);
      expect(running.fake.machines.size).toBe(0);
    });

    test("has the output of a daemon that ends at once", async () => {
      const error = await failure(SandboxAgent.start({ sandbox: provide({ args: ["--nonsense"] }) }));
      expect(error.step).toBe("health");
      expect(error.message).toContain("exit code 64");
      expect(error.log).toContain("--nonsense");
      expect(running.fake.machines.size).toBe(0);
    });

    test("has the output of an installation that fails", async () => {
      const program: Program = { install: "echo no such package >&2; exit 3" };
      const error = await failure(SandboxAgent.start({ sandbox: provide({ program }) }));
      expect(error.step).toBe("install");
      expect(error.log).toContain("no such package");
      expect(running.fake.machines.size).toBe(0);
    });

    test("says that a sandbox could not be destroyed", async () => {
      running.fake.before = (now) => {
        if (now === "destroy") throw new Error(`no ${now} today`);
      };
      const error = await failure(SandboxAgent.start({ sandbox: provide({ args: ["--nonsense"] }) }));
      expect(error.message).toContain("it may still exist");
      expect(error.leftover).toBeInstanceOf(Error);
      expect(error.sandboxId).toBe([...running.fake.machines.keys()][0]);
      running.fake.before = () => {};
    });
  });
}

/** Runs against the real provider if its key is in the environment. */
export function liveSuite(name: string, variable: string, provider: () => SandboxProvider): void {
  const key = process.env[variable];
  describe(`${name}, live`, () => {
    test.runIf(key !== undefined)(`needs ${variable}`, { timeout: 600_000 }, async () => {
      await using client = await SandboxAgent.start({ sandbox: provider() });
      expect(await say(client, "say live")).toContain("live");
    });
  });
}
