// Tools: calls, results, diffs, commands, lists of things to do.

import { join } from "node:path";
import { expect } from "vitest";
import { edit, read, say, shell, todo, write } from "./script.ts";
import type { Feature } from "./stage.ts";
import { resultDiff, resultText, toolCall } from "./tool-calls.ts";

export const features: Feature[] = [
  {
    title: "Tool call",
    async run(stage) {
      stage.put("notes.txt", "Buy milk.\n");
      const session = await stage.session({ permissionMode: "bypass" });
      const turn = await stage.turn(session, [read("notes.txt")], [say("Read.")]);
      const { call } = toolCall(turn, "read");
      expect(call.title).toContain("notes.txt");
      expect(call.locations?.[0]?.path).toBe(join(stage.project, "notes.txt"));
      expect(call.input).toBeTypeOf("object");
      expect(call.status).toBe("completed");
    },
  },
  {
    title: "Tool result",
    async run(stage) {
      stage.put("notes.txt", "Buy milk.\n");
      const session = await stage.session({ permissionMode: "bypass" });
      const turn = await stage.turn(session, [read("notes.txt")], [say("Read.")]);
      const found = toolCall(turn, "read");
      expect(found.result?.isError).toBe(false);
      expect(found.result?.output).toBeDefined();
      if (!stage.isReal) return;
      expect(resultText(found)).toContain("Buy milk.");
      expect(await stage.model.lastDialogue()).toContain("Buy milk.");
    },
  },
  {
    title: "Diff of a new file",
    async run(stage) {
      const session = await stage.session({ permissionMode: "bypass" });
      const turn = await stage.turn(session, [write("new.txt", "one\ntwo\n")], [say("Written.")]);
      const diff = resultDiff(toolCall(turn, "edit"));
      expect(diff.path).toBe(join(stage.project, "new.txt"));
      if (!stage.isReal) return;
      expect(diff.oldText ?? "").toBe("");
      expect(diff.newText).toBe(stage.file("new.txt"));
    },
  },
  {
    title: "Diff of an edit",
    async run(stage) {
      const before = "one\ntwo\nthree\n";
      stage.put("old.txt", before);
      const session = await stage.session({ permissionMode: "bypass" });
      const script = [[read("old.txt")], [edit("old.txt", "two", "2")], [say("Changed.")]];
      const diff = resultDiff(toolCall(await stage.turn(session, ...script), "edit"));
      if (!stage.isReal) return;
      expect(stage.file("old.txt")).not.toBe(before);
      expect(diff).toMatchObject({ oldText: before, newText: stage.file("old.txt") });
    },
  },
  {
    title: "Commands",
    async run(stage) {
      const session = await stage.session({ permissionMode: "bypass" });
      const command = "echo to-out; echo to-err >&2";
      const found = toolCall(await stage.turn(session, [shell(command)], [say("Run.")]), "execute");
      expect(found.call.title).toContain("echo");
      expect(found.result?.isError).toBe(false);
      if (!stage.isReal) return;
      const shown = JSON.stringify(found.result);
      expect(shown).toContain("to-out");
      expect(shown).toContain("to-err");
    },
  },
  {
    title: "Failing tool",
    async run(stage) {
      const session = await stage.session({ permissionMode: "bypass" });
      const failing = stage.isReal ? read("missing.txt") : { model: "", demo: "fail read" };
      const turn = await stage.turn(session, [failing], [say("Moving on.")]);
      expect(turn.text).toBe("Moving on.");
      const parts = turn.messages.flatMap((message) => message.parts);
      expect(parts.find((part) => part.type === "toolCall")?.status).toBe("failed");
    },
  },
  {
    title: "To-do list as plan",
    async run(stage) {
      const items = ["Look around", "Make the change", "Check it"];
      // Claude Code keeps lists for some models only.
      const model = stage.agent === "claude" ? { model: "claude-sonnet-4-5" } : {};
      const session = await stage.session(model);
      await stage.turn(session, [todo(items)], [say("Listed.")]);
      const page = await session.eventPage({ types: ["plan"] });
      const plans = page.events.flatMap((event) => (event.type === "plan" ? [event.data.plan] : []));
      expect(plans.at(-1)?.entries).toHaveLength(3);
      expect(plans.some((plan) => plan.entries.some((entry) => entry.status === "inProgress"))).toBe(true);
      if (stage.isReal) expect(plans.at(-1)?.entries.map((entry) => entry.content)).toEqual(items);
    },
  },
];
