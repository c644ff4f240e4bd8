import { binary } from "@sandbox-agent/testkit";
import { expect, test } from "vitest";
import { example } from "../src/index.ts";

test.for([
  [true, "allow_once"],
  [false, "reject_once"],
] as const)("passes on the decision %s", async ([decision, expected]) => {
  const asked: string[] = [];
  const confirm = async (title: string): Promise<boolean> => {
    asked.push(title);
    return decision;
  };
  expect(await example("demo", "permission Send it off", confirm, { binary })).toContain(expected);
  expect(asked).toEqual(["Send it off"]);
});
