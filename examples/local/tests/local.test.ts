import { binary } from "@sandbox-agent/testkit";
import { expect, test } from "vitest";
import { example } from "../src/index.ts";

test("streams the answer of an agent", async () => {
  let output = "";
  await example(
    "demo",
    "stream 3",
    (text) => {
      output += text;
    },
    { binary },
  );
  expect(output).toMatch(/1 .*2 .*3 /s);
  expect(output).toContain("(endTurn)");
});
