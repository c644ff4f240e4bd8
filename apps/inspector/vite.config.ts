// The build of the page: one entry, panels as chunks of their own, and a compressed copy of each file for the daemon.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const source = (path: string): string => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));

/** Writes a copy of each file with gzip, which the daemon embeds. Brotli would be an eighth smaller, but browsers accept it only over HTTPS and on loopback. */
function compressed(): Plugin {
  return {
    name: "compressed",
    // Tests serve the files as they are.
    apply: ({ mode }, { command }) => command === "build" && mode !== "test",
    writeBundle({ dir }) {
      if (dir === undefined) return;
      const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      for (const file of files) {
        const path = join(file.parentPath, file.name);
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  // Relative, so that the page works behind a gateway that puts a path prefix before it.
  base: "./",
  plugins: [react(), compressed()],
  resolve: {
    conditions: ["@sandbox-agent/source", "module", "browser", "import", "default"],
    alias: { "sandbox-agent/node": source("sandbox-agent/src/node/unavailable.ts") },
  },
  build: {
    target: "es2023",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
  },
  server: { host: "127.0.0.1" },
});
