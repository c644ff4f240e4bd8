// Every TypeScript example of the documentation compiles, runs against the real daemon and ends by itself.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { binary, type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { build } from "esbuild";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blocks, pages, ROOT } from "./pages.ts";
import { type Program, programOf } from "./programs.ts";

const examples = pages()
  .flatMap(blocks)
  .filter(({ language, rule }) => ["ts", "tsx"].includes(language) && ["run", "types"].includes(rule.kind));
const compiled = examples.map(programOf);
const runnable = examples.filter(({ rule }) => rule.kind === "run").map(programOf);

/** React for servers is CommonJS and requires modules of Node.js. */
const REQUIRE = 'import { createRequire as from } from "node:module"; const require = from(import.meta.url);';

let daemon: Daemon;
const folder = mkdtempSync(join(tmpdir(), "sa-snippets-"));

beforeAll(async () => {
  [daemon] = await Promise.all([startDaemon(), bundle()]);
}, 120_000);

afterAll(async () => {
  await daemon.stop();
  rmSync(folder, { recursive: true });
});

test("the examples compile", () => {
  const config = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const files = new Map(
    compiled.map(({ program, language }, index) => [
      resolve(import.meta.dirname, `s${index}.${language}`),
      program,
    ]),
  );
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (name) => files.has(resolve(name)) || fileExists(name);
  host.readFile = (name) => files.get(resolve(name)) ?? readFile(name);
  const program = ts.createProgram([...files.keys()], { ...options, noUnusedLocals: false }, host);
  const problems = [...files.keys()].flatMap((name, index) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(name))
      .map(
        ({ messageText }) =>
          `${compiled[index]?.name}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
      ),
  );
  expect(problems).toEqual([]);
}, 240_000);

describe("the examples run", () => {
  expect(runnable.length).toBeGreaterThan(10);
  test.concurrent.for(runnable)("$name", { timeout: 120_000 }, async (program, { expect }) => {
    expect(await run(program)).toEqual({ code: 0, errors: "" });
  });
});

/** Name of an example's file, without its extension. */
const fileOf = ({ name }: Program): string => name.replace(/\W/g, "-");

/** Bundles all examples at once, so that the packages are parsed once. */
async function bundle(): Promise<void> {
  const entryPoints = runnable.map((example) => {
    const path = join(folder, `${fileOf(example)}.${example.language}`);
    writeFileSync(path, `${example.program}\n${example.use}`);
    return path;
  });
  await build({
    entryPoints,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    nodePaths: [join(ROOT, "node_modules")],
    bundle: true,
    format: "esm",
    platform: "node",
    jsx: "automatic",
    banner: { js: REQUIRE },
    target: "node20",
    conditions: ["@sandbox-agent/source"],
    logLevel: "silent",
  });
}

async function run(example: Program): Promise<{ code: number | null; errors: string }> {
  const env = {
    ...process.env,
    BASE_URL: daemon.baseUrl,
    SANDBOX_AGENT_TOKEN: daemon.token,
    SANDBOX_AGENT_BIN: binary,
    HOME: folder,
  };
  const outfile = join(folder, `${fileOf(example)}.mjs`);
  const child = spawn(process.execPath, [outfile], { env, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  return new Promise((done) => child.on("close", (code) => done({ code, errors })));
}
