// Sessions that outlive their agent's process.

import { NotFoundError, type Session } from "sandbox-agent";
import { expect } from "vitest";
import { read, say, write } from "./script.ts";
import { continues, type Feature, type Stage } from "./stage.ts";

async function sessionWithTurn(stage: Stage): Promise<Session> {
  stage.put("notes.txt", "Buy milk.\n");
  const session = await stage.session({ permissionMode: "bypass" });
  await stage.turn(session, [read("notes.txt")], [say("The word is xyzzy.")]);
  return session;
}

/** Continues and checks that the model knows what was said before. */
async function remembers(stage: Stage, session: Session): Promise<void> {
  await continues(stage, session);
  if (stage.isReal) expect(await stage.model.lastDialogue()).toContain("The word is xyzzy.");
}

export const features: Feature[] = [
  {
    title: "List",
    async run(stage) {
      const session = await sessionWithTurn(stage);
      const listed = [];
      for await (const { sessionId, cwd } of stage.client.sessions.list({ agent: [stage.agent] })) {
        listed.push({ sessionId, cwd });
      }
      expect(listed).toContainEqual({ sessionId: session.id, cwd: stage.project });
    },
  },
  {
    title: "Resume",
    async run(stage) {
      const session = await sessionWithTurn(stage);
      const { lastEventId } = await session.refresh();
      await stage.daemon.restart();
      await remembers(stage, session);
      const { events } = await session.eventPage({ after: lastEventId });
      expect(JSON.stringify(events), "nothing is reported again").not.toContain("The word is xyzzy.");
    },
  },
  {
    title: "Fork",
    async run(stage) {
      const session = await sessionWithTurn(stage);
      const copy = await session.fork();
      expect(copy.id).not.toBe(session.id);
      await remembers(stage, copy);
      expect((await stage.turn(session, [say("My own way.")])).text).toBe("My own way.");
      const { messages } = await copy.messages();
      expect(JSON.stringify(messages)).not.toContain("My own way.");
    },
  },
  {
    title: "Delete",
    async run(stage) {
      const session = await sessionWithTurn(stage);
      await session.delete();
      await expect(stage.client.sessions.get(session.id)).rejects.toBeInstanceOf(NotFoundError);
    },
  },
  {
    title: "User's settings",
    async run(stage) {
      const session = await stage.session({ permissionMode: "bypass" });
      await stage.turn(session, [write("new.txt", "new\n")], [say("Done.")]);
      await session.terminate();
      const { before, now } = stage.settings;
      expect(now).toEqual(before);
    },
  },
];
