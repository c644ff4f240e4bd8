// The packages of a release, installed from their archives into an empty project without a network.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { binary } from "@sandbox-agent/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
// @ts-expect-error A script without declarations.
import { outdated, workspaceVersion } from "../scripts/versions.js";

const run = promisify(execFile);
const here = resolve(import.meta.dirname, "..");
const platform = `${process.platform}-${process.arch}`;

let folder: string;
let project: string;
let launcher: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sa-cli-"));
  project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "empty", private: true, type: "module" }),
  );
  const release = join(folder, "release");
  // Becomes the binary under test, which is too large to pack for each run of the tests.
  const program = join(folder, "program");
  writeFileSync(program, `#!/bin/sh\nexec '${binary}' "$@"\n`, { mode: 0o755 });
  await run(process.execPath, [join(here, "scripts/release.js"), release, `${platform}=${program}`]);
  const archives = await Promise.all(["cli", `cli-${platform}`].map((name) => pack(join(release, name))));
  await npm(["install", "--offline", "--no-audit", "--no-fund", ...archives], project);
  launcher = join(project, "node_modules/.bin/sandbox-agent");
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function npm(args: string[], cwd: string): Promise<string> {
  const env = { ...process.env, HOME: folder, npm_config_cache: join(folder, "cache") };
  return (await run("npm", args, { cwd, env, maxBuffer: 10_000_000 })).stdout;
}

/** Packs a package as `npm publish` would and returns the path of the archive. */
async function pack(path: string): Promise<string> {
  const listed = await npm(["pack", "--json", "--pack-destination", folder], path);
  const [entry] = JSON.parse(listed) as { filename: string }[];
  return join(folder, entry?.filename ?? "");
}

describe("the launcher", () => {
  test("is found by npx and prints the version of the workspace", async () => {
    const output = await npm(["exec", "--offline", "--", "sandbox-agent", "--version"], project);
    expect(output).toContain(workspaceVersion());
  });

  test("passes on arguments, input, output and the exit code", async () => {
    const bad = await run(launcher, ["--nonsense"]).catch((error: unknown) => error);
    expect(bad).toMatchObject({ code: 64, stderr: expect.stringContaining("--nonsense") });
    const echo = join(folder, "echo");
    writeFileSync(echo, '#!/bin/sh\ncat; echo "$1"; exit 7\n', { mode: 0o755 });
    const child = spawn(launcher, ["two words"], { env: { ...process.env, SANDBOX_AGENT_BIN: echo } });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stdin.end("input\n");
    expect(await once(child, "close")).toEqual([7, null]);
    expect(output).toBe("input\ntwo words\n");
  });

  test.for(["SIGTERM", "SIGINT", "SIGHUP"] as const)("passes on %s", async (signal) => {
    const env = { ...process.env, HOME: folder, SANDBOX_AGENT_TOKEN: "secret" };
    const child = spawn(launcher, ["server", "--port", "0", "--no-store"], { env });
    await once(child.stdout, "data");
    child.kill(signal);
    // The daemon stops in good order, and the launcher with its exit code.
    expect(await once(child, "close")).toEqual([0, null]);
  });

  test("ends by the signal that ended the program", async () => {
    const suicide = join(folder, "suicide");
    writeFileSync(suicide, "#!/bin/sh\nkill -KILL $$\n", { mode: 0o755 });
    const child = spawn(launcher, [], { env: { ...process.env, SANDBOX_AGENT_BIN: suicide } });
    expect(await once(child, "close")).toEqual([null, "SIGKILL"]);
  });

  test("runs a program that lost its permissions, and says that there is none", async () => {
    const path = join(project, `node_modules/@sandbox-agent/cli-${platform}/bin/sandbox-agent`);
    chmodSync(path, 0o644);
    expect((await run(launcher, ["--version"])).stdout).toContain(workspaceVersion());
    const lonely = join(folder, "lonely/bin/sandbox-agent.js");
    mkdirSync(join(folder, "lonely/bin"), { recursive: true });
    writeFileSync(join(folder, "lonely/package.json"), '{"type":"module"}');
    writeFileSync(lonely, readFileSync(join(here, "bin/sandbox-agent.js")));
    const error = await run(process.execPath, [lonely], { cwd: folder }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`cli-${platform} is not installed`),
    });
  });
});

describe("the packages", () => {
  test("have the version of the workspace", () => {
    expect(outdated().map(({ path }: { path: string }) => path)).toEqual([]);
  });

  test("have what is needed and nothing else", () => {
    const read = (name: string): Record<string, unknown> =>
      JSON.parse(readFileSync(join(project, "node_modules/@sandbox-agent", name, "package.json"), "utf8"));
    expect(read(`cli-${platform}`)).toMatchObject({ os: [process.platform], cpu: [process.arch] });
    expect(read("cli")).toMatchObject({
      optionalDependencies: { [`@sandbox-agent/cli-${platform}`]: workspaceVersion() },
    });
    expect(existsSync(join(project, "node_modules/@sandbox-agent/cli/LICENSE"))).toBe(true);
    expect(existsSync(join(project, "node_modules/@sandbox-agent/cli/scripts"))).toBe(false);
  });
});

describe("sandbox-agent/node", () => {
  test("finds the program in the project that it is installed in", async () => {
    const { bundle } = await import("../../sandbox-agent/tests/node/bundle.ts");
    const program = await bundle(new URL("embedded.ts", import.meta.url));
    writeFileSync(join(project, "program.mjs"), readFileSync(program));
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
    const { stdout } = await run(process.execPath, ["program.mjs"], { cwd: project, env });
    const [spawned, connected] = stdout.trim().split("\n");
    expect(spawned).toContain(`${project}/node_modules/@sandbox-agent/cli-${platform}/bin/sandbox-agent`);
    expect(connected).toContain("hello from the package");
  });
});
