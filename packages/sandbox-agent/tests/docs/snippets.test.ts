// Every TypeScript example of the documentation compiles, runs against the real daemon and ends by itself.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { binary, type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { build } from "esbuild";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Snippet, snippets } from "./snippets.ts";

const ROOT = new URL("../../../../", import.meta.url);
const PAGES = [
  "README.md",
  "docs/typescript.md",
  "docs/embedding.md",
  "packages/sandbox-agent/README.md",
  "docs/fleet.md",
  "docs/migrating-from-0.4.md",
  "docs/react.md",
  "docs/ai-sdk.md",
  "packages/react/README.md",
  "packages/ai-sdk/README.md",
];
/** Pages whose examples need accounts, or run elsewhere. They only compile here. */
const COMPILED_PAGES = [
  "docs/providers.md",
  "docs/acp-http-client.md",
  "docs/transport.md",
  "packages/acp-http-client/README.md",
];
const all = PAGES.flatMap((page) => snippets(new URL(page, ROOT)));
const compiled = [...all, ...COMPILED_PAGES.flatMap((page) => snippets(new URL(page, ROOT)))];

/** React for servers is CommonJS and requires modules of Node.js. */
const REQUIRE = 'import { createRequire as from } from "node:module"; const require = from(import.meta.url);';

let daemon: Daemon;
const folder = mkdtempSync(join(tmpdir(), "sa-snippets-"));

beforeAll(async () => {
  daemon = await startDaemon();
});

afterAll(async () => {
  await daemon.stop();
  rmSync(folder, { recursive: true });
});

test("the examples compile", () => {
  const config = ts.readConfigFile(new URL("tsconfig.json", ROOT).pathname, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT.pathname);
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
}, 60_000);

describe("the examples run", () => {
  expect(all.length).toBeGreaterThan(10);
  test.for(all)("$name", async (snippet) => {
    expect(await run(snippet)).toEqual({ code: 0, errors: "" });
  });
});

async function run({
  name,
  language,
  program,
  use,
}: Snippet): Promise<{ code: number | null; errors: string }> {
  const outfile = join(folder, `${name.replace(/\W/g, "-")}.mjs`);
  await build({
    stdin: { contents: `${program}\n${use}`, resolveDir: import.meta.dirname, loader: language },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    jsx: "automatic",
    banner: { js: REQUIRE },
    target: "node20",
    conditions: ["@sandbox-agent/source"],
    logLevel: "silent",
  });
  const env = {
    ...process.env,
    BASE_URL: daemon.baseUrl,
    SANDBOX_AGENT_TOKEN: daemon.token,
    SANDBOX_AGENT_BIN: binary,
    HOME: folder,
  };
  const child = spawn(process.execPath, [outfile], { env, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  return new Promise((done) => child.on("close", (code) => done({ code, errors })));
}
