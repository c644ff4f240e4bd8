// Permissions, questions and plans.

import { expect } from "vitest";
import { leavePlan, question, type Script, say, sayResult, write } from "./script.ts";
import { Asked, type Feature } from "./stage.ts";
import { toolCall } from "./tool-calls.ts";

const writing = (name: string): Script => [[write(name, "allowed\n")], [say("Done.")]];

export const features: Feature[] = [
  {
    title: "Allow once",
    async run(stage) {
      const session = await stage.session({ permissionMode: "default" });
      const asked = new Asked(session);
      for (const name of ["first.txt", "second.txt"]) {
        asked.decide = (permission) => {
          expect(stage.file(name), "nothing is written before it is allowed").toBeUndefined();
          return permission.allowOnce();
        };
        const turn = await stage.turn(session, ...writing(name));
        const { call } = toolCall(turn, "edit");
        expect(call.status).toBe("completed");
        expect(asked.permissions.splice(0).map(({ request }) => request.toolCallId)).toEqual([call.id]);
        if (stage.isReal) expect(stage.file(name)).toBeDefined();
      }
    },
  },
  {
    title: "Allow always",
    async run(stage) {
      const session = await stage.session({ permissionMode: "default" });
      const asked = new Asked(session);
      asked.decide = (permission) => permission.allowAlways();
      await stage.turn(session, ...writing("first.txt"));
      await stage.turn(session, ...writing("second.txt"));
      expect(asked.permissions).toHaveLength(1);
      if (stage.isReal) expect([stage.file("first.txt"), stage.file("second.txt")]).not.toContain(undefined);
      const other = await stage.session({ permissionMode: "default" });
      const others = new Asked(other);
      others.decide = (permission) => permission.reject();
      await stage.turn(other, ...writing("third.txt"));
      expect(others.permissions, "another session is asked").toHaveLength(1);
      expect(stage.file("third.txt")).toBeUndefined();
    },
  },
  {
    title: "Reject",
    async run(stage) {
      const session = await stage.session({ permissionMode: "default" });
      new Asked(session).decide = (permission) => permission.reject();
      const turn = await stage.turn(session, ...writing("never.txt"));
      expect(toolCall(turn, "edit").call.status).toBe("failed");
      expect(turn.text).toBe("Done.");
      expect(stage.file("never.txt")).toBeUndefined();
      if (stage.isReal) expect(await stage.model.lastDialogue()).toContain("rejected");
    },
  },
  {
    title: "Never ask",
    async run(stage) {
      const session = await stage.session({ permissionMode: "bypass" });
      const asked = new Asked(session);
      await stage.turn(session, ...writing("free.txt"));
      expect(asked.permissions).toEqual([]);
      if (stage.isReal) expect(stage.file("free.txt")).toBeDefined();
    },
  },
  {
    title: "Question as a form",
    async run(stage) {
      const session = await stage.session();
      const asked = new Asked(session);
      asked.answer = (prompt) => prompt.answer([["Blue"]]);
      const { text } = await stage.turn(session, [question], [sayResult]);
      const options = asked.questions[0]?.request.questions[0]?.options ?? [];
      expect(options.map(({ label }) => label)).toEqual(["Red", "Green", "Blue"]);
      expect(text).toContain("Blue");
    },
  },
  {
    title: "Question declined",
    async run(stage) {
      const session = await stage.session();
      const asked = new Asked(session);
      asked.answer = (prompt) => prompt.reject();
      const { text } = await stage.turn(session, [question], [say("Never mind.")]);
      expect(asked.questions).toHaveLength(1);
      expect(text).toBe("Never mind.");
    },
  },
  {
    title: "Plan mode reads only",
    async run(stage) {
      const session = await stage.session({ permissionMode: "plan" });
      new Asked(session).decide = (permission) => permission.reject();
      const turn = await stage.turn(session, [write("made.txt", "no\n")], [say("Nothing happened.")]);
      expect(stage.file("made.txt")).toBeUndefined();
      expect(toolCall(turn, "edit").call.status).toBe("failed");
      expect(turn.text).toBe("Nothing happened.");
    },
  },
  {
    title: "Plan accepted",
    async run(stage) {
      const session = await stage.session({ permissionMode: "plan" });
      const asked = new Asked(session);
      asked.decide = (permission) => permission.allowOnce();
      asked.answer = (prompt) => {
        expect(prompt.isPlanApproval).toBe(true);
        const approve = prompt.request.questions[0]?.options?.[0]?.label ?? "";
        return prompt.answer([[approve]]);
      };
      const script = [[leavePlan("Write it down")], [write("planned.txt", "as planned\n")], [say("Done.")]];
      await stage.turn(session, ...script);
      expect(asked.questions.map((prompt) => prompt.isPlanApproval)).toEqual([true]);
      if (!stage.isReal) return;
      expect(JSON.stringify(asked.questions[0]?.request)).toContain("Write it down");
      expect(stage.file("planned.txt")).toBeDefined();
      expect((await session.refresh()).permissionMode).not.toBe("plan");
    },
  },
  {
    title: "Plan rejected",
    async run(stage) {
      const session = await stage.session({ permissionMode: "plan" });
      const asked = new Asked(session);
      asked.answer = (prompt) => prompt.reject();
      const script = [[leavePlan("Write it down")], [write("planned.txt", "no\n")], [say("Still planning.")]];
      await stage.turn(session, ...script);
      expect(asked.questions).toHaveLength(1);
      expect(stage.file("planned.txt")).toBeUndefined();
      expect((await session.refresh()).permissionMode).toBe("plan");
    },
  },
];
