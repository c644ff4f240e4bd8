// The build of the page: one entry, panels as chunks of their own, and a compressed copy of each file for the daemon.

import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const source = (path: string): string => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));

export default defineConfig({
  base: "/ui/",
  plugins: [react()],
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
