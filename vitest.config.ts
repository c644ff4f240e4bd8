// All tests of the packages. They run against the real binary; SANDBOX_AGENT_TEST_BIN names another one.

import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Starts the files with real agents first: they take longest, and one that starts last holds up the end. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = (file: TestSpecification) => file.moduleId.includes("/tests/features/");
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  resolve: { conditions: ["@sandbox-agent/source", "node"] },
  ssr: { resolve: { conditions: ["@sandbox-agent/source", "node"] } },
  test: {
    include: [
      "packages/*/tests/**/*.test.{ts,tsx}",
      "apps/*/tests/**/*.test.{ts,tsx}",
      "examples/*/tests/**/*.test.ts",
    ],
    // Longer than a step of a browser may take, so that a failure names the step.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // The default of one second is too short for a page or an agent on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    dangerouslyIgnoreUnhandledErrors: false,
    sequence: { sequencer: SlowestFirst },
  },
});
