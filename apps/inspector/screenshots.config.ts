// Takes the pictures of the documentation with the harness of the tests.

import base from "../../vitest.config.ts";

const { include: _, ...test } = base.test ?? {};

export default { ...base, root: import.meta.dirname, test: { ...test, include: ["scripts/screenshots.ts"] } };
