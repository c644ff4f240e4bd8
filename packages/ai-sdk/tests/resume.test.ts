// Pages that are opened or cut off in the middle of a turn, and resume after something else has happened.

import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { SandboxAgent, type Session, type Turn } from "sandbox-agent";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadMessages, runningTurn, type SandboxAgentMessage } from "../src/index.ts";
import { Page, read, say, textOf } from "./app.ts";

let daemon: Daemon;
let client: SandboxAgent;

beforeAll(async () => {
  daemon = await startDaemon();
  client = SandboxAgent.open(daemon.connection);
});
afterAll(() => daemon.stop());

/** Waits until the agent asks for a permission, and returns a function that gives it and waits for the end of the turn. */
async function asked(session: Session): Promise<() => Promise<void>> {
  const events = session.events();
  for await (const event of events) {
    if (event.type !== "permissionAsked") continue;
    return async () => {
      await session.replyPermission(event.data.permissionAsked.id, { reply: "once" });
      for await (const { type } of session.events({ after: event.id })) if (type === "turnEnded") return;
    };
  }
  throw new Error("the agent asked for nothing");
}

/** Loads a page while a turn runs, and lets that turn end. */
async function openInTurn(session: Session): Promise<SandboxAgentMessage[]> {
  session.send("say one\npermission Go\nsay two");
  const finish = await asked(session);
  const messages = await loadMessages(session);
  await finish();
  return messages;
}

test("an answer that ended after the page was loaded", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  const messages = await openInTurn(session);
  expect(messages.map(({ role }) => role)).toEqual(["user"]);
  const page = new Page(client, session.id, messages);
  const answer = await read(await page.resume());
  expect(textOf(answer)).toMatch(/^one.*two$/);
  const stored = await loadMessages(session);
  expect([...messages, answer].map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
  // The page has everything now.
  expect(await page.resume()).toBeNull();
});

test("an answer that ended after the page was loaded, while the next turn runs", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  const messages = await openInTurn(session);
  const next = session.send("hang");
  await begun(next);
  expect(textOf(await read(await new Page(client, session.id, messages).resume()))).toMatch(/^one.*two$/);
  expect((await session.refresh()).turn?.turnId).toBe((await next.accepted).turnId);
  await session.cancel();
});

async function begun(turn: Turn): Promise<void> {
  for await (const { type } of turn) if (type === "turnStarted") return;
}

test("a stream that was cut off, and a turn that ended meanwhile", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  const page = new Page(client, session.id);
  const reader = (await page.send(say("say one\npermission Go\nsay two"))).getReader();
  await reader.read();
  await reader.cancel();
  await (await asked(session))();
  expect(textOf(await read(await page.resume()))).toMatch(/^one.*two$/);
  expect(await page.resume()).toBeNull();
});

test("a page that was loaded when everything had ended lacks nothing", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  await session.send("say one").done;
  expect(await new Page(client, session.id, await loadMessages(session)).resume()).toBeNull();
});

test("a message that waits after a restart of the daemon, and its answer", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  await begun(session.send("hang"));
  await session.send("say next").accepted;
  await daemon.kill();
  await daemon.start();
  const messages = await loadMessages(session);
  expect(messages.map(textOf)).toEqual(["hang", "", "say next"]);
  const turnId = (await session.refresh()).queue[0]?.turnId;
  await session.resume();
  for await (const event of session.events()) {
    if (event.type === "turnEnded" && event.data.turnEnded.turnId === turnId) break;
  }
  expect(textOf(await read(await new Page(client, session.id, messages).resume()))).toBe("next");
});

test("a turn that the session does not have", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  await begun(session.send("hang"));
  expect(await runningTurn(session, { turnId: "turn-of-another" })).toBeUndefined();
  expect(await runningTurn(session)).toBeDefined();
  await session.cancel();
});
