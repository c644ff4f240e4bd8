// Finds the daemon's program: SANDBOX_AGENT_BIN, then the npm package for this platform, then PATH.
/// <reference types="node" />

import { accessSync, chmodSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";
import process from "node:process";
import { SpawnError } from "./errors.ts";

const PROGRAM = "sandbox-agent";
const LAUNCHER = "@sandbox-agent/cli";
const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];

export interface BinaryOptions {
  /** Path of the program; nothing else is tried. */
  binary?: string | undefined;
  /** Environment to look in, by default that of this process. */
  env?: Record<string, string | undefined> | undefined;
  /** Module from which npm packages are looked up, by default this one. */
  from?: string | undefined;
}

/**
 * Returns the path of the `sandbox-agent` program.
 *
 * @throws {@link SpawnError} with code `binary_not_found`. The message lists the places that were tried.
 */
export function findBinary(options: BinaryOptions = {}): string {
  const env = options.env ?? process.env;
  const chosen = options.binary ?? env["SANDBOX_AGENT_BIN"];
  if (chosen !== undefined && chosen !== "") {
    const path = resolve(chosen);
    if (isFile(path)) return path;
    const source = options.binary === undefined ? "SANDBOX_AGENT_BIN" : "option 'binary'";
    throw new SpawnError("binary_not_found", `${source} is '${chosen}', but there is no such file`);
  }
  const tried = ["variable SANDBOX_AGENT_BIN: not set"];
  return fromPackage(options.from ?? import.meta.url, tried) ?? fromPath(env["PATH"], tried) ?? fail(tried);
}

/** Looks up the package for this platform, from here and from the launcher that depends on it. */
function fromPackage(from: string, tried: string[]): string | undefined {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    tried.push(`npm package: none for ${platform}, only for ${PLATFORMS.join(", ")}`);
    return undefined;
  }
  const here = createRequire(from);
  const name = `${LAUNCHER}-${platform}`;
  const file = `${name}/bin/${PROGRAM}`;
  const path = lookUp(here, file) ?? fromLauncher(here, file);
  if (path === undefined) tried.push(`npm package ${name}: not installed`);
  else ensureExecutable(path);
  return path;
}

/** Package managers without a flat `node_modules` install the platform package next to the launcher only. */
function fromLauncher(here: NodeJS.Require, file: string): string | undefined {
  const launcher = lookUp(here, `${LAUNCHER}/package.json`);
  return launcher === undefined ? undefined : lookUp(createRequire(launcher), file);
}

function lookUp(require: NodeJS.Require, file: string): string | undefined {
  try {
    return require.resolve(file);
  } catch {
    return undefined;
  }
}

/** Some tools drop permissions when they unpack or copy packages. */
function ensureExecutable(path: string): void {
  if (isExecutable(path)) return;
  try {
    chmodSync(path, 0o755);
  } catch (cause) {
    const message = `'${path}' is not executable; run: chmod +x '${path}'`;
    throw new SpawnError("binary_not_executable", message, { cause });
  }
}

function fromPath(path: string | undefined, tried: string[]): string | undefined {
  for (const folder of (path ?? "").split(delimiter)) {
    if (folder === "") continue;
    const file = join(folder, PROGRAM);
    if (isFile(file) && isExecutable(file)) return file;
  }
  tried.push(`PATH: no '${PROGRAM}' in ${path ?? "it, because it is not set"}`);
  return undefined;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function fail(tried: string[]): never {
  const places = tried.map((place) => `  - ${place}`).join("\n");
  const advice = `install it with 'npm install ${LAUNCHER}', or set SANDBOX_AGENT_BIN to its path`;
  throw new SpawnError(
    "binary_not_found",
    `the sandbox-agent program was not found; ${advice}. Tried:\n${places}`,
  );
}
