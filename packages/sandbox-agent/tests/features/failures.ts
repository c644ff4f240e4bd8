// When the model or its API fails.

import { type Session, type Turn, TurnFailedError, UnsupportedError } from "sandbox-agent";
import { expect } from "vitest";
import { answersWithoutModel, spokenBack } from "./lacking.ts";
import { descendants, programs } from "./processes.ts";
import { cut, fail, hang, type Script, say, stop } from "./script.ts";
import { continues, type Feature, NOISY, Stage } from "./stage.ts";
import { heard } from "./turns.ts";

/** Sends a script on which the turn must fail. */
async function failure(stage: Stage, session: Session, ...script: Script): Promise<TurnFailedError> {
  return rejection(session.send(stage.text(...script)));
}

async function rejection(turn: Turn): Promise<TurnFailedError> {
  const error = await turn.done.then(
    (result) => new Error(`the turn did not fail: ${JSON.stringify(result)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof TurnFailedError) return error;
  throw error;
}

export const features: Feature[] = [
  {
    title: "No credentials",
    async run({ agent }) {
      const stage = await Stage.set(agent, "none");
      try {
        const { info } = await stage.session();
        expect(info).toMatchObject({ healthy: false, error: { type: "tokenError" } });
        expect(await stage.model.conversations(), "the model is not asked").toEqual([]);
      } finally {
        await stage.stop();
      }
    },
    lacking: { demo: needsNoCredentials },
  },
  {
    title: "Wrong credentials (401)",
    async run(stage) {
      const session = await stage.session();
      const error = await failure(stage, session, [fail(401), say("Never said.")]);
      expect(error.kind).toBe("authRequired");
      await continues(stage, session);
    },
    lacking: { demo: spokenBack(fail(401)) },
  },
  {
    title: "Rate limit (429)",
    async run(stage) {
      const session = await stage.session();
      const error = await failure(stage, session, [fail(429), say("Never said.")]);
      expect(error.message).not.toBe("");
      expect(error.details).toMatchObject({ errorKind: "rate_limit" });
      await continues(stage, session);
    },
    lacking: { demo: spokenBack(fail(429)) },
  },
  {
    title: "Overloaded (529)",
    async run(stage) {
      const { text } = await stage.turn(await stage.session(), [fail(529, 1), say("Here I am.")]);
      expect(text).toBe("Here I am.");
      expect((await stage.model.conversations()).length).toBeGreaterThanOrEqual(2);
    },
    lacking: { demo: spokenBack(fail(529, 1)) },
  },
  {
    title: "Waiting for the model",
    async run(stage) {
      // A status after which the agent tries again, and reports it.
      const status = stage.agent === "codex" ? 403 : 429;
      const session = await stage.session();
      const { text } = await stage.turn(session, [fail(status, 1), say("Here I am.")]);
      expect(text).toBe("Here I am.");
      const { events } = await session.eventPage({ types: ["notice"] });
      expect(JSON.stringify(events)).toContain(String(status));
    },
    lacking: { demo: spokenBack(fail(429, 1)) },
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
    lacking: { demo: spokenBack(cut(1)) },
  },
  {
    title: "Model that hangs",
    async run(stage) {
      const { model } = stage;
      const session = await stage.session();
      const turn = session.send(stage.text([hang]));
      await expect
        .poll(async () => (await model.conversations()).length, { timeout: 60_000 })
        .toBeGreaterThan(0);
      await turn.cancel();
      expect((await turn.done).stopReason).toBe("cancelled");
      await continues(stage, session);
    },
    lacking: { demo: answersWithoutModel },
  },
  {
    title: "Unknown model",
    async run(stage) {
      const session = await stage.session();
      const before = session.info.choices?.model ?? "";
      await session.update({ model: "no-such-model" });
      const error = await failure(stage, session, [fail(404), say("Never said.")]);
      expect((await stage.model.conversations()).at(-1)).toMatchObject({ model: "no-such-model" });
      expect(error.details).toMatchObject({ errorKind: "model_not_found" });
      await session.update({ model: before });
      await continues(stage, session);
    },
    lacking: { demo: refusesModel },
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
  {
    title: "Crash of the agent's program",
    async run(stage) {
      const before = programs(stage.agent, stage.daemon.pid);
      const session = await stage.session();
      await stage.turn(session, [say("The word is xyzzy.")]);
      const turn = session.send(stage.text([say("Wait"), hang]));
      await heard(turn, "Wait");
      const now = programs(stage.agent, stage.daemon.pid);
      const started = now.filter((pid) => !before.includes(pid));
      // Sessions of some agents share one program, which may have run before.
      const own = started.length > 0 ? started : now;
      expect(own).toHaveLength(1);
      for (const pid of own) process.kill(pid, "SIGKILL");
      const error = await rejection(turn);
      expect(error.details).toMatchObject({ signal: 9 });
      await continues(stage, session);
      expect(await stage.model.lastDialogue()).toContain("The word is xyzzy.");
      expect(programs(stage.agent, stage.daemon.pid)).not.toEqual(now);
    },
    lacking: { demo: drivesNoProgram },
  },
  {
    title: "Unknown output",
    async run(stage) {
      const session = await stage.session(stage.isReal ? { agent: NOISY } : {});
      const noise = { model: "", demo: "garbage json" };
      expect((await stage.turn(session, [noise, say("Unimpressed.")])).text).toBe("Unimpressed.");
      const { events } = await session.eventPage({ types: ["unknown", "error"] });
      const passedOn = JSON.stringify(events);
      expect(passedOn).toContain('"unparsed"');
      if (stage.isReal) expect(passedOn).toContain("not JSON at all");
    },
  },
];

async function needsNoCredentials(stage: Stage): Promise<void> {
  const session = await stage.session();
  expect(session.info.healthy).toBe(true);
  await answersWithoutModel(stage);
}

/** A model that the demo agent does not have cannot be chosen. */
async function refusesModel(stage: Stage): Promise<void> {
  const session = await stage.session();
  await expect(session.update({ model: "no-such-model" })).rejects.toBeInstanceOf(UnsupportedError);
  await answersWithoutModel(stage);
}

/** The demo agent is one process, whose end is the agent's own. */
async function drivesNoProgram(stage: Stage): Promise<void> {
  const session = await stage.session();
  await stage.turn(session, [say("Alone.")]);
  const { pid } = stage.daemon;
  expect(descendants(pid).filter(({ parent }) => parent !== pid)).toEqual([]);
}
