// Sessions and turns: events, results, requests of the agent, and failures.

import { InvalidValueError, MessageWithdrawnError, SandboxAgent, TurnFailedError } from "sandbox-agent";
import { check, collect, first, rejection, same } from "./assert.ts";
import type { Case } from "./case.ts";

export const cases: Case[] = [
  {
    name: "a turn gives its events and its result",
    async run(environment) {
      const client = await SandboxAgent.connect(environment);
      const session = await client.sessions.create({ agent: "demo" });
      const turn = session.send("think Hm.\nsay Hello!");
      const events = await collect(turn);
      same(events[0]?.type, "message");
      same(events.at(-1)?.type, "turnEnded");
      const { text, stopReason } = await turn.done;
      same({ text, stopReason }, { text: "Hello!", stopReason: "endTurn" });
    },
  },
  {
    name: "two clients that open a session at the same time get the same one",
    async run(environment) {
      const client = await SandboxAgent.connect(environment);
      const id = `chat-${crypto.randomUUID()}`;
      const open = () => client.sessions.getOrCreate({ id, agent: "demo" });
      const [one, other] = await Promise.all([open(), open()]);
      same((await one.send("say Hello!").done).text, "Hello!");
      same([other.id, (await other.messages()).messages.length], [id, 2]);
      const later = await client.sessions.getOrCreate({ id, agent: "demo", title: "Not applied" });
      same((await later.messages()).messages.length, 2);
      check(later.info.title !== "Not applied", "the settings of a session that exists were changed");
      const unknown = client.sessions.getOrCreate({ id: `chat-${crypto.randomUUID()}`, agent: "nobody" });
      await rejection(unknown, InvalidValueError);
    },
  },
  {
    name: "a permission and a question are answered by handlers",
    async run(environment) {
      const client = await SandboxAgent.connect(environment);
      const session = await client.sessions.create({ agent: "demo" });
      session.onPermission((permission) => permission.allowOnce());
      session.onQuestion((question) => question.answer(question.request.questions.map(() => ["Green"])));
      const { messages } = await session.send("permission Send it\nquestion single").done;
      const said = JSON.stringify(messages);
      check(said.includes("allow_once"), `the permission was not granted: ${said}`);
      check(said.includes("Green"), `the question was not answered: ${said}`);
    },
  },
  {
    name: "a crash of the agent is a typed failure, and the session continues",
    async run(environment) {
      const client = await SandboxAgent.connect(environment);
      const session = await client.sessions.create({ agent: "demo" });
      const error = await rejection(session.send("stderr out of memory\ncrash 3").done, TurnFailedError);
      same([error.kind, error.exit?.code], ["agentExited", 3]);
      same((await session.send("say back").done).text, "back");
    },
  },
  {
    name: "a running turn is cancelled and a queued one is withdrawn",
    async run(environment) {
      const client = await SandboxAgent.connect(environment);
      const session = await client.sessions.create({ agent: "demo" });
      const running = session.send("hang");
      await first(running, (event) => event.type === "turnStarted");
      const queued = session.send("say never");
      await queued.cancel();
      await rejection(queued.done, MessageWithdrawnError);
      await running.cancel();
      same((await running.done).stopReason, "cancelled");
    },
  },
];
