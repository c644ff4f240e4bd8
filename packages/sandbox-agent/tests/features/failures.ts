// When the model or its API fails.

import { type Session, TurnFailedError } from "sandbox-agent";
import { expect } from "vitest";
import { cut, fail, hang, type Script, say, stop } from "./script.ts";
import { continues, type Feature, type Stage } from "./stage.ts";

/** Sends a script on which the turn must fail. */
async function failure(stage: Stage, session: Session, ...script: Script): Promise<TurnFailedError> {
  const error = await session.send(stage.text(...script)).done.then(
    (result) => new Error(`the turn did not fail: ${JSON.stringify(result)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof TurnFailedError) return error;
  throw error;
}

export const features: Feature[] = [
  {
    title: "Wrong credentials (401)",
    async run(stage) {
      const session = await stage.session();
      const error = await failure(stage, session, [fail(401), say("Never said.")]);
      expect(error.kind).toBe("authRequired");
      await continues(stage, session);
    },
  },
  {
    title: "Rate limit (429)",
    async run(stage) {
      const session = await stage.session();
      const error = await failure(stage, session, [fail(429), say("Never said.")]);
      expect(error.message).not.toBe("");
      await continues(stage, session);
    },
  },
  {
    title: "Overloaded (529)",
    async run(stage) {
      const { text } = await stage.turn(await stage.session(), [fail(529, 1), say("Here I am.")]);
      expect(text).toBe("Here I am.");
      expect((await stage.model.conversations()).length).toBeGreaterThanOrEqual(2);
    },
  },
  {
    title: "Connection cut",
    async run(stage) {
      const session = await stage.session();
      const script = stage.text([say("The first half."), cut(1), say("The second half.")]);
      const text = await session.send(script).done.then(
        (result) => result.text,
        (error: unknown) => error,
      );
      // Some versions try again, others give up; none may pretend that all was said.
      if (!(text instanceof TurnFailedError)) expect(text).toContain("The second half.");
      await continues(stage, session);
    },
  },
  {
    title: "Model that hangs",
    async run(stage) {
      const { model } = stage;
      const session = await stage.session();
      const turn = session.send(stage.text([hang]));
      await expect
        .poll(async () => (await model.conversations()).length, { timeout: 20_000 })
        .toBeGreaterThan(0);
      await turn.cancel();
      expect((await turn.done).stopReason).toBe("cancelled");
      await continues(stage, session);
    },
  },
  ...(["refusal", "max_tokens"] as const).map((reason) => ({
    title: reason === "refusal" ? "Refusal" : "Output limit",
    async run(stage: Stage) {
      const session = await stage.session();
      const { stopReason } = await session.send(stage.text([say("And so on"), stop(reason)])).done;
      expect(stopReason).toBe(reason === "refusal" ? "refusal" : "maxTokens");
      await continues(stage, session);
    },
  })),
];
