// The packages as users get them: packed, installed into an empty project without the registry, and used there.

import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startDaemon } from "@sandbox-agent/testkit";
import { transform } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);

/** Time to build, pack or install on a busy machine. */
const SLOW_MS = 240_000;

interface Manifest {
  name: string;
  private?: boolean;
  exports?: Record<string, unknown>;
  scripts?: Record<string, string>;
}

interface Package {
  name: string;
  folder: string;
  manifest: Manifest;
}

const workspace = fileURLToPath(new URL("../../../", import.meta.url));
const packages: Package[] = readdirSync(join(workspace, "packages"))
  .map((name) => join(workspace, "packages", name))
  .filter((folder) => existsSync(join(folder, "package.json")))
  .map((folder) => ({
    folder,
    manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest,
  }))
  .filter(({ manifest }) => manifest.private !== true)
  .map((one) => ({ ...one, name: one.manifest.name }));
const libraries = packages.filter(({ manifest }) => manifest.exports?.["."] !== undefined);

let folder: string;
/** An empty project with the packages installed from tarballs. */
let project: string;
const tarballs = new Map<string, string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sa-published-"));
  project = join(folder, "project");
  mkdirSync(project);
  for (const one of libraries) {
    if (!isBuilt(one)) await run("npm", ["run", "build"], { cwd: one.folder });
  }
  for (const { name, folder: source } of packages) {
    const { stdout } = await run(
      "npm",
      ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
      { cwd: source },
    );
    const [packed] = JSON.parse(stdout) as [{ filename: string }];
    tarballs.set(name, join(folder, packed.filename));
  }
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "user", private: true, type: "module" }),
  );
  const flags = [
    "--offline",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--omit=optional",
    "--legacy-peer-deps",
  ];
  await run("npm", ["install", ...flags, ...tarballs.values()], { cwd: project });
  // The user's own dependencies, which no tarball brings.
  for (const name of ["ai", "react", "@types/react", "csstype", "@types/node", "undici-types"]) {
    const link = join(project, "node_modules", name);
    if (!existsSync(link)) {
      mkdirSync(join(link, ".."), { recursive: true });
      symlinkSync(join(workspace, "node_modules", name), link);
    }
  }
}, SLOW_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(libraries)("$name", ({ name, folder: source }) => {
  test(
    "publint has nothing to say",
    async () => {
      const { messages } = await publint({ pkgDir: source, strict: true, pack: "npm" });
      expect(messages).toEqual([]);
    },
    SLOW_MS,
  );

  test(
    "types resolve wherever the package does",
    async () => {
      const attw = join(workspace, "node_modules/.bin/attw");
      const flags = ["--profile", "esm-only", "--format", "ascii", "--no-emoji", "--no-color"];
      const outcome = await run(attw, [tarballs.get(name) ?? "", ...flags]).then(() => "clean", output);
      expect(outcome).toBe("clean");
    },
    SLOW_MS,
  );
});

describe.each(libraries.filter(({ folder: source }) => example(source).language === "ts"))(
  "$name",
  ({ name, folder: source }) => {
    test(
      "the first example of the README runs",
      async () => {
        await using daemon = await startDaemon();
        const { code } = await transform(example(source).code, { loader: "ts", target: "es2022" });
        const mine = code
          .replaceAll("http://127.0.0.1:2468", daemon.baseUrl)
          .replaceAll('"secret"', JSON.stringify(daemon.token))
          .replaceAll("Bearer secret", `Bearer ${daemon.token}`);
        expect(mine, "it names the address").toContain(daemon.baseUrl);
        const file = join(project, `${name.replaceAll("/", "-")}.mjs`);
        writeFileSync(file, mine);
        const { stdout, stderr } = await run(process.execPath, [file], { cwd: project });
        expect(stderr).toBe("");
        expect(stdout).toContain("Hello!");
      },
      SLOW_MS,
    );
  },
);

test(
  "the first example of every README has the right types",
  async () => {
    const files = libraries.map(({ name, folder: source }) => {
      const { code, language } = example(source);
      const file = `${name.replaceAll("/", "-")}.${language}`;
      writeFileSync(join(project, file), code);
      return file;
    });
    const compilerOptions = {
      noEmit: true,
      strict: true,
      module: "nodenext",
      target: "es2022",
      jsx: "react-jsx",
      lib: ["es2023", "esnext.disposable", "dom", "dom.iterable", "dom.asynciterable"],
      types: ["node"],
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const tsc = join(workspace, "node_modules/.bin/tsc");
    const printed = await run(tsc, [], { cwd: project }).then(() => "", output);
    // Declarations of others, which are linked from the workspace, are not ours to check.
    const complaints = printed.split("\n").filter((line) => line !== "" && !/^(\.\.\/|\s)/.test(line));
    expect(complaints).toEqual([]);
  },
  SLOW_MS,
);

test("every entry of every package can be imported by Node.js", async () => {
  const entries = libraries.flatMap(({ name, manifest }) =>
    Object.keys(manifest.exports ?? {})
      .filter((path) => path !== "./package.json")
      .map((path) => name + path.slice(1)),
  );
  const lines = entries.map((entry) => `await import(${JSON.stringify(entry)});`);
  const file = join(project, "entries.mjs");
  writeFileSync(file, lines.join("\n"));
  expect(await run(process.execPath, [file], { cwd: project })).toMatchObject({ stderr: "" });
});

/** Returns what a program that failed has printed. */
function output(error: { stdout?: string; message: string }): string {
  return error.stdout ?? error.message;
}

/** Returns whether a package was built after its last change. */
function isBuilt({ folder: source }: Package): boolean {
  const newest = (path: string): number =>
    Math.max(
      0,
      ...readdirSync(path, { recursive: true, encoding: "utf8" }).map(
        (name) => statSync(join(path, name)).mtimeMs,
      ),
    );
  const dist = join(source, "dist");
  const manifest = statSync(join(source, "package.json")).mtimeMs;
  return existsSync(dist) && newest(dist) > Math.max(newest(join(source, "src")), manifest);
}

/** Returns the first TypeScript example of a package's README. */
function example(source: string): { code: string; language: "ts" | "tsx" } {
  const readme = readFileSync(join(source, "README.md"), "utf8");
  const [, language, code] = /^```(tsx?)\n(.*?)^```$/ms.exec(readme) ?? [];
  if (code === undefined) throw new Error(`${source}/README.md has no example in TypeScript`);
  return { code, language: language === "tsx" ? "tsx" : "ts" };
}
