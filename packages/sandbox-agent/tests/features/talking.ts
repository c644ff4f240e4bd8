// Words, thoughts, and what is reported next to them.

import { join } from "node:path";
import { expect } from "vitest";
import { compact, hang, say, stream, think, usage } from "./script.ts";
import type { Feature, Stage } from "./stage.ts";

/** The command `/greet` in the forms of all agents. */
const COMMANDS = {
  ".claude/commands/greet.md": "say: greeted by a command\n",
  ".opencode/command/greet.md": "say: greeted by a command\n",
  ".agents/skills/greet/SKILL.md":
    "---\nname: greet\ndescription: Greets\n---\n\nsay: greeted by a command\n",
};

export const features: Feature[] = [
  {
    title: "Text",
    async run(stage) {
      const session = await stage.session();
      for (const words of ["Hello over there.", "Hello again."]) {
        expect((await stage.turn(session, [say(words)])).text).toBe(words);
      }
    },
  },
  {
    title: "Streaming",
    async run(stage) {
      const session = await stage.session();
      const turn = session.send(stage.text([stream(5), hang]));
      let text = "";
      let pieces = 0;
      for await (const event of turn) {
        if (event.type !== "messageDelta") continue;
        text += event.data.messageDelta.text;
        pieces += 1;
        if (text.includes("5 ")) break;
      }
      await turn.cancel();
      expect((await turn.done).stopReason).toBe("cancelled");
      expect(pieces).toBeGreaterThanOrEqual(2);
    },
  },
  {
    title: "Reasoning",
    async run(stage) {
      const { messages, text } = await stage.turn(await stage.session(), [
        think("Let me see."),
        say("I see."),
      ]);
      expect(text).toBe("I see.");
      const parts = messages.flatMap((message) => message.parts);
      const words = parts.filter((part) => part.type === "reasoning" || part.type === "text");
      expect(words.map((part) => [part.type, part.text])).toEqual([
        ["reasoning", "Let me see."],
        ["text", "I see."],
      ]);
    },
  },
  {
    title: "Usage",
    async run(stage) {
      const turn = await stage.turn(await stage.session(), [usage(1000, 50), say("That was dear.")]);
      expect(turn.usage?.totalTokens).toBeGreaterThan(0);
      if (stage.isReal) expect(turn.usage).toMatchObject({ inputTokens: 1000, outputTokens: 50 });
    },
  },
  {
    title: "Cost",
    lacking: { codex: withoutCost },
    async run(stage) {
      const session = await stage.session();
      await stage.turn(session, [usage(1000, 50), say("That was dear.")]);
      const page = await session.eventPage({ types: ["usage"] });
      const costs = page.events.flatMap((event) =>
        event.type === "usage" ? (event.data.usage.cost ?? []) : [],
      );
      expect(costs.at(-1)).toMatchObject({ currency: "USD", amount: expect.any(Number) });
    },
  },
  {
    title: "Title",
    async run(stage) {
      const session = await stage.session();
      await stage.turn(session, [say("Hello over there.")]);
      await expect.poll(async () => (await session.refresh()).title ?? "", { timeout: 60_000 }).not.toBe("");
    },
  },
  {
    title: "Compaction",
    async run(stage) {
      const session = await stage.session();
      await stage.turn(session, [say("A long story.")]);
      await session.send(stage.text([compact])).done;
      const page = await session.eventPage({ types: ["compaction"] });
      expect(page.events).not.toEqual([]);
      expect((await stage.turn(session, [say("Continuing.")])).text).toBe("Continuing.");
    },
  },
  {
    title: "Slash commands",
    async run(stage) {
      // Agents look for commands when they first work in a directory.
      const cwd = join(stage.project, "commands");
      for (const [name, content] of Object.entries(COMMANDS)) stage.put(join("commands", name), content);
      const session = await stage.session({ cwd });
      const call = stage.isReal ? "/greet" : "/say greeted by a command";
      const name = call.slice(1).split(" ")[0] ?? "";
      const heard = session.events({ types: ["commandsAvailable"], signal: AbortSignal.timeout(60_000) });
      for await (const event of heard) {
        if (event.type !== "commandsAvailable") continue;
        if (event.data.commandsAvailable.commands.some((command) => command.name === name)) break;
      }
      const { text, stopReason } = await session.send(call).done;
      expect({ text, stopReason }).toEqual({ text: "greeted by a command", stopReason: "endTurn" });
    },
  },
];

/** Codex reports tokens without what they cost. */
async function withoutCost(stage: Stage): Promise<void> {
  const session = await stage.session();
  const turn = await stage.turn(session, [usage(1000, 50), say("That was dear.")]);
  expect(turn.usage).toMatchObject({ inputTokens: 1000, outputTokens: 50 });
  const { events } = await session.eventPage({ types: ["usage"] });
  expect(events).not.toEqual([]);
  for (const event of events) if (event.type === "usage") expect(event.data.usage.cost).toBeUndefined();
}
