// The portable cases on Node.js. Other runtimes run the same cases with harnesses of their own.

import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { afterAll, beforeAll, describe, test } from "vitest";
import { CONFIG, type Command, suites } from "./portable/index.ts";

let daemon: Daemon;

beforeAll(async () => {
  daemon = await startDaemon({ config: CONFIG });
});

afterAll(() => daemon.stop());

const control = (command: Command): Promise<void> => daemon[command]();

for (const [suite, cases] of Object.entries(suites)) {
  describe(suite, () => {
    for (const { name, run } of cases) test(name, () => run({ ...daemon.connection, control }));
  });
}
