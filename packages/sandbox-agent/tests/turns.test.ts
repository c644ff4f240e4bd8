// Turns: events, results, handlers, and what happens when the connection, the daemon or the agent fails.

import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import {
  HandlerError,
  MessageWithdrawnError,
  NotFoundError,
  SandboxAgent,
  type Session,
  TurnFailedError,
  type UniversalEvent,
} from "sandbox-agent";
import { afterAll, beforeAll, expect, test } from "vitest";

let daemon: Daemon;
let client: SandboxAgent;

beforeAll(async () => {
  daemon = await startDaemon();
  client = await SandboxAgent.connect(daemon.connection);
});

afterAll(async () => {
  await daemon.stop();
});

async function open(): Promise<Session> {
  return client.sessions.create({ agent: "demo" });
}

async function collect(events: AsyncIterable<UniversalEvent>): Promise<UniversalEvent[]> {
  const all: UniversalEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test("a turn gives its events and its result", async () => {
  const session = await open();
  const turn = session.send("think Hm.\nsay Hello!");
  const events = await collect(turn);
  expect(events[0]?.type).toBe("message");
  expect(events.at(-1)?.type).toBe("turnEnded");
  expect(events.some((event) => event.type === "messageDelta")).toBe(true);
  const { text, stopReason, usage, messages } = await turn.done;
  expect({ text, stopReason }).toEqual({ text: "Hello!", stopReason: "endTurn" });
  expect(usage?.totalTokens).toBeGreaterThan(0);
  expect(messages.every((message) => message.role === "assistant")).toBe(true);
});

test("a turn can be iterated again, and several times at once", async () => {
  const session = await open();
  const turn = session.send("stream 20");
  const [one, two] = await Promise.all([collect(turn), collect(turn)]);
  expect(one).toEqual(two);
  expect(await collect(turn)).toEqual(one);
});

test("queued turns keep to their own events", async () => {
  const session = await open();
  const turns = ["say first", "say second", "say third"].map((text) => session.send(text));
  const logs = await Promise.all(turns.map(collect));
  const results = await Promise.all(turns.map((turn) => turn.done));
  expect(results.map((result) => result.text)).toEqual(["first", "second", "third"]);
  for (const [index, log] of logs.entries()) {
    const ends = log.filter((event) => event.type === "turnEnded");
    expect(ends.map((event) => event.data.turnEnded.turnId)).toEqual([results[index]?.turnId]);
  }
});

test("a permission is decided by the handler, even if nobody looks at the turn", async () => {
  const session = await open();
  const asked: string[] = [];
  session.onPermission(async (permission) => {
    asked.push(permission.request.title);
    expect(await permission.allowOnce()).toBe(true);
    expect(await permission.reject()).toBe(false);
  });
  const { text } = await session.send("permission Send it").done;
  expect(asked).toEqual(["Send it"]);
  expect(text).toContain("allow_once");
  await new Promise<void>((decided) => {
    session.onPermission(async (permission) => {
      await permission.allowOnce();
      decided();
    });
    session.send("permission Again");
  });
});

test("a question is answered by the handler", async () => {
  const session = await open();
  session.onQuestion((question) => question.answer(question.request.questions.map(() => ["Green"])));
  const { text } = await session.send("question single").done;
  expect(text).toContain("Green");
});

test("a handler that throws rejects the request and fails the turn's result", async () => {
  const session = await open();
  session.onPermission(() => {
    throw new Error("not today");
  });
  const turn = session.send("permission Send it\nsay done");
  const error = await turn.done.catch((error: unknown) => error);
  expect(error).toBeInstanceOf(HandlerError);
  expect((error as HandlerError).cause).toEqual(new Error("not today"));
  const events = await collect(turn);
  const resolved = events.find((event) => event.type === "permissionResolved");
  expect(resolved?.data.permissionResolved.reply).toBe("reject");
  expect(events.at(-1)?.type).toBe("turnEnded");
});

test("a handler that throws fails the result even if the turn ends before the rejection is confirmed", async () => {
  const session = await open();
  const ended = (async () => {
    for await (const event of session.events()) if (event.type === "turnEnded") return;
  })();
  const late: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (String(input).endsWith("/reply")) {
      await ended;
      // The turn is followed by another request, which has read its end by then.
      await new Promise((resume) => setTimeout(resume, 300));
    }
    return response;
  };
  const slow = await SandboxAgent.connect({ ...daemon.connection, fetch: late });
  const other = await slow.sessions.get(session.id);
  other.onPermission(() => {
    throw new Error("not today");
  });
  await expect(other.send("permission Send it").done).rejects.toBeInstanceOf(HandlerError);
});

test("requests that were decided are not asked again by a turn that is watched late", async () => {
  const session = await open();
  const turn = session.send("permission Send it");
  for await (const event of turn) {
    if (event.type === "permissionAsked") {
      await session.replyPermission(event.data.permissionAsked.id, { reply: "once" });
    }
  }
  session.onPermission(() => {
    throw new Error("was asked again");
  });
  expect((await turn.done).stopReason).toBe("endTurn");
});

test("a crash of the agent is a typed failure with its stderr", async () => {
  const session = await open();
  const error = await session.send("stderr out of memory\ncrash 3").done.catch((error: unknown) => error);
  expect(error).toBeInstanceOf(TurnFailedError);
  expect(error).toMatchObject({ kind: "agentExited", exit: { code: 3 } });
  expect((error as TurnFailedError).exit?.stderrTail).toContain("out of memory");
  expect((await session.send("say back").done).text).toBe("back");
});

test("cancel stops a running turn and withdraws a queued one", async () => {
  const session = await open();
  const running = session.send("hang");
  for await (const event of running) if (event.type === "turnStarted") break;
  const queued = session.send("say never");
  await queued.accepted;
  await queued.cancel();
  await expect(queued.done).rejects.toBeInstanceOf(MessageWithdrawnError);
  await running.cancel();
  expect((await running.done).stopReason).toBe("cancelled");
  const next = session.send("sleep 50\nsay later");
  await running.cancel();
  expect((await next.done).text).toBe("later");
});

test("leaving the loop, twice or while an event is awaited, settles", async () => {
  const session = await open();
  const turn = session.send("say one\nhang");
  for await (const event of turn) if (event.type === "messageDelta") break;
  const iterator = turn[Symbol.asyncIterator]();
  let step = await iterator.next();
  while (step.done !== true && step.value.type !== "messageDelta") step = await iterator.next();
  const pending = drain(iterator);
  await iterator.return?.();
  await pending;
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
  await turn.cancel();
});

test("events that are asked for at the same time come from one stream, each once", async () => {
  const streams: string[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    if (String(input).includes("/events/sse")) streams.push(String(input));
    return globalThis.fetch(input, init);
  };
  const session = await SandboxAgent.open({ ...daemon.connection, fetch }).sessions.create({ agent: "demo" });
  const turn = session.send("say one\nsay two");
  const iterator = turn[Symbol.asyncIterator]();
  const steps = await Promise.all([iterator.next(), iterator.next(), iterator.next()]);
  const ids = steps.map((step) => (step.done === true ? 0 : step.value.id));
  expect(new Set(ids).size).toBe(3);
  await iterator.return?.();
  expect(streams.length).toBe(1);
});

async function drain(iterator: AsyncIterator<UniversalEvent>): Promise<void> {
  while ((await iterator.next()).done !== true);
}

test("an aborted signal ends iteration and result with its reason; the turn continues", async () => {
  const session = await open();
  const controller = new AbortController();
  const turn = session.send("say one\nsleep 300\nsay two", { signal: controller.signal });
  await turn.accepted;
  const reason = new Error("enough");
  const ended = [turn.done, collect(turn)].map((one) => one.catch((error: unknown) => error));
  controller.abort(reason);
  expect(await Promise.all(ended)).toEqual([reason, reason]);
  const log = session.events();
  for await (const event of log) if (event.type === "turnEnded") break;
  expect((await session.messages()).messages.at(-1)?.parts).toMatchObject([{ text: "two" }]);
});

test("a failure to send is reported by each part of the turn, and by nobody else", async () => {
  const session = await open();
  await session.delete();
  session.send("say ignored");
  const turn = session.send("say lost");
  await expect(turn.accepted).rejects.toBeInstanceOf(NotFoundError);
  await expect(turn.done).rejects.toBeInstanceOf(NotFoundError);
  await expect(collect(turn)).rejects.toBeInstanceOf(NotFoundError);
  await expect(turn.cancel()).rejects.toBeInstanceOf(NotFoundError);
});

test("a client that comes back follows the running turn and decides what is still open", async () => {
  const session = await open();
  session.send("say before\npermission Go\nsay after");
  for await (const event of session.events()) if (event.type === "permissionAsked") break;
  const other = await client.sessions.get(session.id);
  other.onPermission((permission) => permission.allowAlways());
  const turn = other.turn();
  expect((await turn?.done)?.text).toBe("after");
  await other.refresh();
  expect(other.turn()).toBeUndefined();
});

test("a session's events end after it was terminated, also for a reader that comes late", async () => {
  const session = await open();
  await session.send("say bye").done;
  const live = collect(session.events());
  const info = await session.terminate();
  const log = await live;
  expect(log.map((event) => event.id)).toEqual(log.map((_, index) => index + 1));
  expect(log.at(-1)?.type).toBe("ended");
  expect(await collect(session.events({ after: info.lastEventId }))).toEqual([]);
  expect(await collect(session.events({ types: ["turnEnded"] }))).toHaveLength(1);
});
