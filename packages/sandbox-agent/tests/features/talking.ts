// Words, thoughts, and what is reported next to them.

import { expect } from "vitest";
import { compact, hang, say, stream, think, usage } from "./script.ts";
import type { Feature } from "./stage.ts";

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
      await expect.poll(async () => (await session.refresh()).title ?? "", { timeout: 20_000 }).not.toBe("");
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
];
