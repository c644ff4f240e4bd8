// How agents lack what they cannot do.

import { expect } from "vitest";
import { NoCommandError, type Step } from "./script.ts";
import type { Stage } from "./stage.ts";

/** The demo agent has no command for the step: it says the line back and points to `help`. */
export const spokenBack =
  (step: Step) =>
  async (stage: Stage): Promise<void> => {
    expect(() => stage.text([step])).toThrow(NoCommandError);
    const line = step.model.split("\n")[0] ?? "";
    const { text, messages } = await stage.turn(await stage.session(), [{ model: "", demo: line }]);
    expect(text).toContain(line.slice(0, 20));
    expect(text).toContain("help");
    const parts = messages.flatMap((message) => message.parts.map(({ type }) => type));
    expect(parts, "nothing else happens").toEqual(["text"]);
  };

/** The demo agent has no model whose API could fail: it answers without one, and its models are made up. */
export async function answersWithoutModel(stage: Stage): Promise<void> {
  const session = await stage.session();
  const models = (await session.refresh()).choices?.models ?? [];
  expect(models.map(({ id }) => id)).toEqual(["demo-small", "demo-medium", "demo-large"]);
  expect((await stage.turn(session, [{ model: "", demo: "env ANTHROPIC_API_KEY" }])).text).toContain(
    "not set",
  );
}
