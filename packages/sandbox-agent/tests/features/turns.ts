// Stopping turns, queues, and several sessions at once.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Turn } from "sandbox-agent";
import { expect } from "vitest";
import { isAlive } from "./processes.ts";
import { hang, say, shell, write } from "./script.ts";
import { Asked, continues, type Feature } from "./stage.ts";
import { toolCall } from "./tool-calls.ts";

/** Waits until the agent has said the text. */
export async function heard(turn: Turn, text: string): Promise<void> {
  let said = "";
  for await (const event of turn) {
    if (event.type === "messageDelta") said += event.data.messageDelta.text;
    if (said.includes(text)) return;
  }
  throw new Error(`the turn ended after '${said}'`);
}

export const features: Feature[] = [
  {
    title: "Cancel while it speaks",
    async run(stage) {
      const session = await stage.session();
      const turn = session.send(stage.text([say("Once upon a time"), hang]));
      await heard(turn, "Once upon a time");
      await turn.cancel();
      expect(await turn.done).toMatchObject({ stopReason: "cancelled", text: "Once upon a time" });
      await continues(stage, session);
    },
  },
  {
    title: "Cancel while a command runs",
    async run(stage) {
      const session = await stage.session({ permissionMode: "bypass" });
      if (!stage.isReal) {
        const turn = session.send(stage.text([hang]));
        await turn.cancel();
        expect((await turn.done).stopReason).toBe("cancelled");
        return continues(stage, session);
      }
      execFileSync("mkfifo", [join(stage.project, "never")]);
      const turn = session.send(stage.text([shell("echo $$ > pid; exec cat never")], [say("No.")]));
      const running = () => Number(stage.file("pid")?.trim() ?? 0);
      await expect.poll(running, { timeout: 60_000 }).toBeGreaterThan(0);
      const pid = running();
      for await (const event of turn) {
        if (event.type === "message" && JSON.stringify(event.data).includes('"toolCall"')) break;
      }
      await turn.cancel();
      const result = await turn.done;
      expect(result.stopReason).toBe("cancelled");
      expect(toolCall(result, "execute").call.status).toBe("failed");
      await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
      await continues(stage, session);
    },
  },
  {
    title: "Cancel while it asks",
    async run(stage) {
      const session = await stage.session({ permissionMode: "default" });
      const asked = new Asked(session);
      const turn = session.send(stage.text([write("never.txt", "no\n")], [say("No.")]));
      const permission = await asked.permission();
      await turn.cancel();
      const result = await turn.done;
      expect(result.stopReason).toBe("cancelled");
      expect(toolCall(result, "edit").call.status).toBe("failed");
      await expect.poll(() => permission.signal.aborted, { message: "the request is withdrawn" }).toBe(true);
      expect(await permission.allowOnce(), "a late answer is harmless").toBe(false);
      await continues(stage, session);
      expect(stage.file("never.txt")).toBeUndefined();
    },
  },
  {
    title: "Queued prompts",
    async run(stage) {
      const session = await stage.session({ permissionMode: "default" });
      const asked = new Asked(session);
      const first = session.send(stage.text([write("first.txt", "one\n")], [say("The first.")]));
      for await (const event of first) if (event.type === "permissionAsked") break;
      const second = session.send(stage.text([say("The second.")]));
      const third = session.send(stage.text([say("The third.")]));
      await expect.poll(async () => (await session.refresh()).queue.length).toBe(2);
      await (await asked.permission()).allowOnce();
      const results = await Promise.all([first.done, second.done, third.done]);
      expect(results.map(({ text }) => text)).toEqual(["The first.", "The second.", "The third."]);
    },
  },
  {
    title: "Several sessions at once",
    async run(stage) {
      const one = await stage.session({ permissionMode: "default" });
      const two = await stage.session({ permissionMode: "default" });
      const asked = new Asked(one);
      const waiting = one.send(stage.text([write("one.txt", "one\n")], [say("From one.")]));
      for await (const event of waiting) if (event.type === "permissionAsked") break;
      expect((await stage.turn(two, [say("From two.")])).text).toBe("From two.");
      await (await asked.permission()).allowOnce();
      expect((await waiting.done).text).toBe("From one.");
    },
  },
];
