// Scripts that need the harness of the tests: the pictures of the documentation, and the bench.

import base from "../../vitest.config.ts";

const { include: _, ...test } = base.test ?? {};

export default {
  ...base,
  root: import.meta.dirname,
  test: { ...test, include: ["scripts/screenshots.ts", "scripts/bench.ts"] },
};
