// Declares one test for each feature of an agent. All share one daemon.

import { afterAll, beforeAll, beforeEach, test } from "vitest";
import { features } from "./features.ts";
import { matrix } from "./matrix.ts";
import type { AgentId } from "./script.ts";
import { Stage } from "./stage.ts";

/** Time for the first run, which downloads the agent. */
const INSTALL_MS = 600_000;

/** Time for a feature. Real agents take seconds to start a session on a busy machine. */
const FEATURE_MS = 90_000;

export function declareTests(agent: AgentId): void {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.set(agent);
  }, INSTALL_MS);
  beforeEach(() => stage.startOver());
  afterAll(() => stage?.stop());

  const marks = matrix(agent);
  for (const { title, run, lacking = {} } of features) {
    const mark = marks.get(title);
    const lack = lacking[agent];
    if (mark === undefined) throw new Error(`docs/compatibility.md has no mark for '${title}' of ${agent}`);
    if ((mark === true) !== (lack === undefined)) {
      throw new Error(`docs/compatibility.md and 'lacking' of '${title}' disagree about ${agent}`);
    }
    if (mark === true) test(title, () => run(stage), FEATURE_MS);
    else test(`${title}: lacking. ${mark}`, () => lack?.(stage), FEATURE_MS);
  }
}
