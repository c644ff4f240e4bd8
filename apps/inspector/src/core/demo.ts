// The tour of the demo agent, which needs no model and no key.

export const DEMO_TITLE = "Fix the failing retry test";

export const DEMO_PROMPT =
  "/tour The retry test fails since this morning. Find out why, fix it, and run the tests.";
