// How every published package is bundled: ES modules with declarations, one file for each entry.

import { defineConfig, type UserConfig } from "tsdown";

export function library(entry: string[], options: UserConfig = {}): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    dts: { sourcemap: true },
    sourcemap: true,
    clean: true,
    ...options,
  });
}
