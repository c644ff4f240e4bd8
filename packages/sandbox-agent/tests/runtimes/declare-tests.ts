// Declares one test for each case, all in one program of a runtime.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Case } from "../portable/index.ts";
import { Harness, type Launch } from "./harness.ts";

/** Time to start a runtime and a daemon on a busy machine. */
const START_MS = 60_000;

/** Declares the tests of a runtime. `flags` are additional ones of the daemon. */
export function declareTests(suites: Record<string, Case[]>, launch: Launch, flags?: () => string[]): void {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(launch, flags?.());
  }, START_MS);
  afterAll(() => harness?.stop());

  for (const [suite, cases] of Object.entries(suites)) {
    describe(suite, () => {
      for (const { name } of cases) test(name, () => harness.run(suite, name));
    });
  }

  test("the program ends by itself and without complaints", async () => {
    expect(await harness.finish()).toEqual([]);
  });
}
