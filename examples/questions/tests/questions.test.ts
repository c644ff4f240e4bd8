import { binary } from "@sandbox-agent/testkit";
import { expect, test } from "vitest";
import { example } from "../src/index.ts";

test("sends the answer back", async () => {
  const asked: (readonly string[])[] = [];
  const ask = async (_: string, choices: readonly string[]): Promise<string[]> => {
    asked.push(choices);
    return ["Green"];
  };
  expect(await example("demo", "question", ask, { binary })).toContain("Green");
  expect(asked[0]).toEqual(["Red", "Green", "Blue"]);
});

test("declines", async () => {
  const text = await example("demo", "question", async () => undefined, { binary });
  expect(text).not.toContain("Green");
  expect(text).toContain("declin");
});
