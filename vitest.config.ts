// All tests of the packages. They run against the real binary; SANDBOX_AGENT_TEST_BIN names another one.

import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["@sandbox-agent/source", "node"] },
  ssr: { resolve: { conditions: ["@sandbox-agent/source", "node"] } },
  test: {
    include: [
      "packages/*/tests/**/*.test.{ts,tsx}",
      "apps/*/tests/**/*.test.{ts,tsx}",
      "examples/*/tests/**/*.test.ts",
    ],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
