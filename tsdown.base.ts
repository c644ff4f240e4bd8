// How every published package is bundled: ES modules with declarations, one file for each entry of `exports`.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig, type UserConfig } from "tsdown";

/** A file, or one for each condition. */
type Target = string | { [condition: string]: Target };

interface Manifest {
  exports: Record<string, Target>;
}

/** The condition under which `exports` names the source, so that the workspace needs no build. */
const SOURCE = "@sandbox-agent/source";

export function library(folder: string, options: UserConfig = {}): ReturnType<typeof defineConfig> {
  const manifest = JSON.parse(readFileSync(resolve(folder, "package.json"), "utf8")) as Manifest;
  const targets = Object.values(manifest.exports);
  const entry = targets.flatMap((target) => (typeof target === "string" ? [] : files(target[SOURCE])));
  return defineConfig({
    entry,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    // Node's own modules, and a package's entries that it loads on demand.
    deps: { neverBundle: [/^node:/, /^sandbox-agent\//] },
    dts: { sourcemap: true },
    sourcemap: true,
    clean: true,
    ...options,
  });
}

function files(target: Target | undefined): string[] {
  if (target === undefined) return [];
  return typeof target === "string" ? [target] : Object.values(target).flatMap(files);
}
