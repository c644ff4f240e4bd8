// The snippets of the documentation: all are type-checked, and those that need no account are run.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { binary } from "@sandbox-agent/testkit";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundle } from "../node/bundle.ts";

const root = resolve(import.meta.dirname, "../../../..");
// Inside the package, so that its name and those of the SDKs are found.
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(resolve(root, "packages/sandbox-agent/tests/.snippets-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Snippet {
  name: string;
  text: string;
}

function snippets(page: string): Snippet[] {
  const text = readFileSync(resolve(root, "docs", page), "utf8");
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)];
  return blocks.map((block, index) => ({
    name: `${page.replace(".md", "")}-${index}`,
    text: block[1] ?? "",
  }));
}

function write({ name, text }: Snippet): string {
  const path = resolve(folder, `${name}.ts`);
  writeFileSync(path, text);
  return path;
}

const all = ["providers.md", "embedding.md"].flatMap(snippets);

test("the snippets have correct types", { timeout: 120_000 }, () => {
  const { config } = ts.readConfigFile(resolve(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const program = ts.createProgram(all.map(write), { ...options, noEmit: true });
  const problems = ts.getPreEmitDiagnostics(program);
  expect(
    ts.formatDiagnostics(problems, { ...ts.createCompilerHost(options), getCanonicalFileName: String }),
  ).toBe("");
  expect(all.length).toBe(5);
});

test.for([
  ["embedding-0", "Hello!"],
  ["embedding-1", "status: 'ok'"],
])("the snippet %s prints %s", async ([name, output]) => {
  const snippet = all.find((one) => one.name === name);
  if (snippet === undefined) throw new Error(`no snippet ${name}`);
  const program = await bundle(pathToFileURL(write(snippet)));
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, SANDBOX_AGENT_BIN: binary };
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
  rmSync(dirname(program), { recursive: true });
  expect(stdout).toContain(output);
});
