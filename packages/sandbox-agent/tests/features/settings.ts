// Model, effort and mode.

import { type Session, UnsupportedError } from "sandbox-agent";
import { expect } from "vitest";
import { say, saySettings, write } from "./script.ts";
import { Asked, type Feature, type Stage } from "./stage.ts";

/** Name of a model or an effort without the provider's. */
const bare = (id: string): string => id.slice(id.lastIndexOf("/") + 1);

/** Returns whether the model's API knows the name as it is. */
const isPlain = (id: string): boolean => id !== "default" && /^[\w.-]+$/.test(bare(id));

async function settings(stage: Stage, session: Session): Promise<string> {
  return (await stage.turn(session, [saySettings])).text;
}

export const features: Feature[] = [
  {
    title: "Model",
    async run(stage) {
      const session = await stage.session();
      const before = await settings(stage, session);
      const models = (await session.refresh()).choices?.models ?? [];
      const other = models.find(({ id }) => isPlain(id) && !before.includes(bare(id)))?.id ?? "";
      expect((await session.update({ model: other })).model).toBe(other);
      const after = await settings(stage, session);
      expect(after).not.toBe(before);
      expect(after).toContain(bare(other));
    },
  },
  {
    title: "Effort",
    async run(stage) {
      const session = await stage.session();
      const { choices } = await session.refresh();
      const other = choices?.variants.find(({ id }) => isPlain(id) && id !== choices.variant)?.id ?? "";
      await session.update({ variant: other });
      expect(await settings(stage, session)).toContain(other);
    },
  },
  {
    title: "Mode",
    async run(stage) {
      const session = await stage.session({ permissionMode: "bypass" });
      const asked = new Asked(session);
      asked.decide = (permission) => permission.reject();
      await stage.turn(session, [write("free.txt", "x\n")], [say("Done.")]);
      expect(asked.permissions).toEqual([]);
      await session.update({ permissionMode: "default" });
      await stage.turn(session, [write("asked.txt", "x\n")], [say("Done.")]);
      expect(asked.permissions).toHaveLength(1);
      await expect(session.update({ agentMode: "nonsense" })).rejects.toBeInstanceOf(UnsupportedError);
    },
  },
];
