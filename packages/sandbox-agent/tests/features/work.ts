// Work in pieces: several tools at once, other agents, commands that outlive a turn.

import type { ParsedMessage, Session } from "sandbox-agent";
import { expect } from "vitest";
import { spokenBack } from "./lacking.ts";
import { Pipe } from "./pipe.ts";
import { delegate, read, say, sayResult, shell, shellInBackground, write } from "./script.ts";
import { Asked, continues, type Feature, type Stage } from "./stage.ts";
import { toolCall, toolCalls } from "./tool-calls.ts";

/** Id of the call that a message's sub-agent was started by. */
const parentOf = ({ metadata }: ParsedMessage): unknown => metadata?.["parentId"];

/** Waits for a message of the agent's with the text. */
async function hears(session: Session, after: number, text: string): Promise<void> {
  for await (const event of session.events({ after, signal: AbortSignal.timeout(60_000) })) {
    if (event.type !== "message" || event.data.message.role === "user") continue;
    if (JSON.stringify(event.data).includes(text)) return;
  }
  throw new Error(`the session ended without '${text}'`);
}

const inBackground = [[shellInBackground("sort gate")], [say("Started.")], [say("It has ended.")]];

export const features: Feature[] = [
  {
    title: "Parallel tools",
    async run(stage) {
      const [left, right] = [new Pipe(stage.project, "left"), new Pipe(stage.project, "right")];
      const session = await stage.session({ permissionMode: "bypass" });
      const turn = session.send(stage.text([shell("sort left"), shell("sort right")], [say("Both.")]));
      await Promise.all([left.read(), right.read()]);
      right.release("from the right\n");
      left.release("from the left\n");
      const calls = toolCalls(await turn.done);
      expect(calls.map(({ call }) => call.status)).toEqual(["completed", "completed"]);
      for (const side of ["left", "right"]) {
        const found = calls.find(({ call }) => call.title.includes(side));
        expect(JSON.stringify(found?.result), "each result is with its call").toContain(`from the ${side}`);
      }
    },
    lacking: { demo: oneAfterTheOther },
  },
  {
    title: "Sub-agent",
    async run(stage) {
      stage.put("notes.txt", "Deep below.\n");
      const session = await stage.session({ permissionMode: "bypass" });
      const task = delegate([read("notes.txt")], [say("Greetings from below.")]);
      const turn = await stage.turn(session, [task], [sayResult]);
      expect(turn.text).toContain("Greetings from below.");
      const below = (parent?: string) => turn.messages.filter((message) => parentOf(message) === parent);
      const outer = toolCalls({ messages: below() })[0];
      expect(outer?.call.status).toBe("completed");
      const inner = toolCalls({ messages: below(outer?.call.id) });
      expect(inner.map(({ call }) => [call.kind, call.status])).toEqual([["read", "completed"]]);
    },
    lacking: { demo: spokenBack(delegate([say("Below.")])) },
  },
  {
    title: "Sub-agent asks",
    async run(stage) {
      const session = await stage.session({ permissionMode: "default" });
      const asked = new Asked(session);
      asked.decide = (permission) => permission.allowOnce();
      const task = delegate([write("below.txt", "deep\n")], [say("Done below.")]);
      const turn = await stage.turn(session, [task], [say("Done.")]);
      const { call } = toolCall(turn, "edit");
      expect(asked.permissions.map(({ request }) => request.toolCallId)).toEqual([call.id]);
      const inner = turn.messages.find(({ parts }) => parts.some((part) => part === call));
      expect(inner === undefined ? undefined : parentOf(inner), "the call names its parent").toBeDefined();
      expect(stage.file("below.txt")).toBeDefined();
    },
    lacking: { demo: spokenBack(delegate([write("below.txt", "deep\n")])) },
  },
  {
    title: "Background task",
    async run(stage) {
      const gate = new Pipe(stage.project, "gate");
      const session = await stage.session({ permissionMode: "bypass" });
      expect((await stage.turn(session, ...inBackground)).text).toBe("Started.");
      const { lastEventId } = await session.refresh();
      await gate.read();
      gate.release("now\n");
      await hears(session, lastEventId, "It has ended.");
      await continues(stage, session);
    },
    lacking: {
      demo: spokenBack(shellInBackground("sort gate")),
      codex: endsSilently,
      opencode: staysInForeground,
    },
  },
];

/** The second call begins when the first one has ended. */
async function oneAfterTheOther(stage: Stage): Promise<void> {
  const session = await stage.session({ permissionMode: "bypass" });
  await stage.turn(session, [shell("sort left"), shell("sort right")]);
  const { events } = await session.eventPage({ types: ["message"] });
  const messages = new Map<string, ParsedMessage>();
  let most = 0;
  for (const event of events) {
    if (event.type !== "message" || !("parts" in event.data.message)) continue;
    messages.set(event.data.message.id, event.data.message);
    const calls = toolCalls({ messages: [...messages.values()] });
    const open = calls.filter(({ call }) => call.status === "pending" || call.status === "inProgress");
    most = Math.max(most, open.length);
  }
  expect(toolCalls({ messages: [...messages.values()] })).toHaveLength(2);
  expect(most).toBe(1);
}

/** The command outlives its turn, but its end does not make the model speak. */
async function endsSilently(stage: Stage): Promise<void> {
  const gate = new Pipe(stage.project, "gate");
  const session = await stage.session({ permissionMode: "bypass" });
  const turn = await stage.turn(session, ...inBackground);
  expect(turn.text).toBe("Started.");
  const { lastEventId } = await session.refresh();
  await gate.read();
  gate.release("at last\n");
  await hears(session, lastEventId, "at last");
  expect((await session.refresh()).turn).toBeUndefined();
  await continues(stage, session);
  const { events } = await session.eventPage({ after: lastEventId, types: ["message"] });
  const said = events.flatMap((event) =>
    event.type === "message" && "parts" in event.data.message && event.data.message.role === "assistant"
      ? event.data.message.parts
      : [],
  );
  expect(said.filter((part) => part.type === "text").map(({ text }) => text)).toEqual(["Continuing."]);
}

/** The turn waits for the command. */
async function staysInForeground(stage: Stage): Promise<void> {
  const gate = new Pipe(stage.project, "gate");
  const session = await stage.session({ permissionMode: "bypass" });
  const turn = session.send(stage.text(...inBackground));
  await gate.read();
  expect((await session.refresh()).turn?.turnId).toBe((await turn.accepted).turnId);
  gate.release("at last\n");
  const result = await turn.done;
  expect(JSON.stringify(toolCall(result, "execute").result)).toContain("at last");
  expect(result.text).toBe("Started.");
}
