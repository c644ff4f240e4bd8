// Streams that resume: cut at every position, refused, silent, aborted and left, over real sockets.

import type { ServerResponse } from "node:http";
import { setImmediate as immediate } from "node:timers/promises";
import { freePort } from "@sandbox-agent/testkit";
import {
  EventTooLargeError,
  IdleTimeoutError,
  type ResumeOptions,
  resumeEvents,
  type ServerSentEvent,
  StreamEndedError,
  StreamResponseError,
} from "acp-http-client/sse";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Answer, EventServer, silence, status, stream } from "./event-server.ts";

const FAST = { initialMs: 0, maxMs: 0 };

/** Idle time and delays that only the code under test uses, to recognize its timers. */
const IDLE_MS = 77_777;
const LONG = { initialMs: 1e9, maxMs: 1e9 };

const { setTimeout: originalSetTimeout, clearTimeout: originalClearTimeout } = globalThis;
const timers = new Set<unknown>();
beforeEach(() => {
  const set = (callback: (...values: unknown[]) => void, ms: number, ...values: unknown[]): unknown => {
    const timer = originalSetTimeout(() => {
      timers.delete(timer);
      callback(...values);
    }, ms);
    if (ms >= IDLE_MS) timers.add(timer);
    return timer;
  };
  vi.stubGlobal("setTimeout", set);
  vi.stubGlobal("clearTimeout", (timer: NodeJS.Timeout) => {
    timers.delete(timer);
    originalClearTimeout(timer);
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  expect(timers.size, "timers that are left").toBe(0);
});

function resume(server: EventServer, options: Partial<ResumeOptions> = {}): ReturnType<typeof resumeEvents> {
  return resumeEvents({ open: server.open, backoff: FAST, idleMs: IDLE_MS, ...options });
}

async function take(events: AsyncIterable<ServerSentEvent>, count: number): Promise<ServerSentEvent[]> {
  const taken: ServerSentEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

const EVENTS = ["häl", "👋 zwei", "drei"].map((data, at) => ({ event: "message", data, id: String(at + 1) }));
const render = (events: ServerSentEvent[]): string =>
  events.map(({ id, data }) => `id: ${id}\ndata: ${data}\n\n`).join("");

/** Continues after `Last-Event-ID`. */
const rest: Answer = (request, response) => {
  const after = Number(request.headers["last-event-id"] ?? 0);
  stream(render(EVENTS.slice(after)), "hold")(request, response);
};

describe("reconnects", () => {
  test.each(["cut", "end"] as const)(
    "after the last complete event, at every position of a stream (%s)",
    async (then) => {
      const bytes = new TextEncoder().encode(render(EVENTS));
      for (let position = 0; position <= bytes.length; position += 1) {
        await using server = await EventServer.start(stream(bytes.slice(0, position), then), rest);
        const causes: unknown[] = [];
        const events = resume(server, { onReconnect: (cause) => causes.push(cause) });
        expect(await take(events, 3), `position ${position}`).toEqual(EVENTS);
        if (then === "end" && position < bytes.length) expect(causes[0]).toBeInstanceOf(StreamEndedError);
      }
    },
  );

  test("after an id without data, and from the id of the options", async () => {
    await using server = await EventServer.start(
      stream("id: 1\n\n", "end"),
      stream("id\n\n", "end"),
      stream("data: x\n\n", "hold"),
    );
    expect(await take(resume(server, { lastEventId: "0" }), 1)).toEqual([
      { event: "message", data: "x", id: undefined },
    ]);
    expect(server.requested).toEqual(["0", "1", undefined]);
  });

  test("when the connection is refused, until the server is there", async () => {
    const port = await freePort();
    let refused = 0;
    await using server = await EventServer.start(rest);
    const events = resumeEvents({
      open: (id, signal) =>
        refused < 3 ? fetch(`http://127.0.0.1:${port}/`, { signal }) : server.open(id, signal),
      backoff: FAST,
      onReconnect: () => {
        refused += 1;
      },
    });
    expect(await take(events, 3)).toEqual(EVENTS);
    expect(refused).toBe(3);
  });

  test.each([408, 425, 429, 500, 502, 504])("after status %i", async (code) => {
    await using server = await EventServer.start(status(code), rest);
    expect(await take(resume(server), 3)).toEqual(EVENTS);
  });

  test("after as long as Retry-After asks for", async () => {
    await using server = await EventServer.start(status(503, { "Retry-After": "1" }), rest);
    const delays: number[] = [];
    const started = performance.now();
    expect(await take(resume(server, { onReconnect: (_, delay) => delays.push(delay) }), 3)).toEqual(EVENTS);
    expect(delays).toEqual([1000]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  });

  test("after the time that the field `retry` asks for", async () => {
    await using server = await EventServer.start(stream("retry: 20\nid: 2\n\n", "end"), rest);
    const delays: number[] = [];
    await take(resume(server, { onReconnect: (_, delay) => delays.push(delay) }), 1);
    expect(delays).toEqual([20]);
  });

  test.each<[string, Answer]>([
    ["headers", silence],
    ["bytes", stream("id: 1\ndata: häl\n\n", "hold")],
    ["the body of an error", (_, response) => void response.writeHead(500).write("x")],
  ])("when no %s arrive for idleMs", async (_, answer) => {
    await using server = await EventServer.start(answer, rest);
    const causes: unknown[] = [];
    const events = resume(server, { idleMs: 50, onReconnect: (cause) => causes.push(cause) });
    expect(await take(events, 3)).toEqual(EVENTS);
    // A slow machine may take as long for the second answer too.
    expect(causes).not.toHaveLength(0);
    for (const cause of causes) expect(cause).toBeInstanceOf(IdleTimeoutError);
  });

  test("not while heartbeats arrive, and not while the consumer is busy", async () => {
    let response: ServerResponse | undefined;
    await using server = await EventServer.start((request, answer) => {
      rest(request, answer);
      response = answer;
    });
    let received = 0;
    const open: ResumeOptions["open"] = async (lastEventId, signal) => {
      const { body, headers } = await server.open(lastEventId, signal);
      const count = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          received += 1;
          controller.enqueue(chunk);
        },
      });
      return new Response(body?.pipeThrough(count) ?? null, { headers });
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const events = resumeEvents({ open, idleMs: 1_000, onReconnect: () => expect.unreachable() });
      for (const event of EVENTS) expect((await events.next()).value).toEqual(event);
      vi.advanceTimersByTime(5_000);
      const late = events.next();
      for (let beat = 1; beat <= 5; beat += 1) {
        const before = received;
        response?.write(":\n\n");
        while (received === before) await immediate();
        await immediate();
        vi.advanceTimersByTime(900);
      }
      response?.write("data: late\n\n");
      expect((await late).value?.data).toBe("late");
      await events.return(undefined);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("gives up", () => {
  test.each([400, 401, 403, 404, 409, 410, 422])("at status %i", async (code) => {
    await using server = await EventServer.start(status(code, { "X-Request-Id": "r1" }, "why"));
    const failure = await resume(server)
      .next()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StreamResponseError);
    expect(failure).toMatchObject({
      status: code,
      body: "why",
      message: `event stream refused with status ${code}`,
    });
    expect((failure as StreamResponseError).headers.get("X-Request-Id")).toBe("r1");
    expect(server.requested).toHaveLength(1);
  });

  test("at a response that is no event stream, keeping 64 KiB of its body", async () => {
    await using server = await EventServer.start(
      status(200, { "Content-Type": "text/html" }, "x".repeat(200_000)),
    );
    const failure = await resume(server)
      .next()
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: "expected text/event-stream, received content type text/html" });
    expect((failure as StreamResponseError).body).toHaveLength(65_536);
  });

  test("at an event that is too large", async () => {
    await using server = await EventServer.start(stream(`data: a\n\ndata: ${"x".repeat(100)}\n\n`, "hold"));
    const events = resume(server, { maxEventBytes: 50 });
    await expect(take(events, 2)).rejects.toBeInstanceOf(EventTooLargeError);
    expect(server.requested).toHaveLength(1);
  });

  test("at a URL that is malformed", async () => {
    const events = resumeEvents({ open: (_, signal) => fetch("http://", { signal }) });
    await expect(events.next()).rejects.toThrow(TypeError);
  });

  test("with the last cause, when no attempt is left", async () => {
    await using server = await EventServer.start(rest, status(503));
    const events = resume(server, { backoff: { ...FAST, attempts: 3 } });
    await events.next();
    await events.next();
    await events.next();
    const [socket] = server.sockets;
    socket?.destroy();
    await expect(events.next()).rejects.toMatchObject({ status: 503 });
    expect(server.requested).toEqual([undefined, "3", "3", "3"]);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test("when isFatal says so", async () => {
    await using server = await EventServer.start(status(503));
    await expect(resume(server, { isFatal: () => true }).next()).rejects.toMatchObject({ status: 503 });
  });

  test("without an error at 204", async () => {
    await using server = await EventServer.start(stream("data: a\n\n", "end"), status(204));
    expect(await take(resume(server), 9)).toHaveLength(1);
  });
});

describe("aborts", () => {
  const reason = new Error("stop it");

  test("before it starts", async () => {
    await using server = await EventServer.start(rest);
    await expect(resume(server, { signal: AbortSignal.abort(reason) }).next()).rejects.toBe(reason);
    expect(server.requested).toHaveLength(0);
  });

  test.each<[string, Answer, Partial<ResumeOptions>]>([
    ["the request", silence, {}],
    ["a read", stream(":\n\n", "hold"), {}],
    ["a wait", status(503), { backoff: LONG }],
    ["a wait that the server asked for", status(503, { "Retry-After": "1000000000000" }), { backoff: FAST }],
    ["the body of an error", (_, response) => void response.writeHead(500).write("x"), {}],
  ])("during %s", async (_, answer, options) => {
    const controller = new AbortController();
    let waiting: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      waiting = resolve;
    });
    await using server = await EventServer.start((request, response) => {
      answer(request, response);
      setTimeout(waiting, 20);
    });
    const events = resume(server, { signal: controller.signal, ...options });
    const pending = events.next();
    const second = events.next();
    await reached;
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect(await second).toEqual({ done: true, value: undefined });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    if (!options.backoff) await server.quiet();
  });

  test("between two events: what was received is dropped", async () => {
    const controller = new AbortController();
    await using server = await EventServer.start(rest);
    const events = resume(server, { signal: controller.signal });
    await events.next();
    controller.abort(reason);
    await expect(events.next()).rejects.toBe(reason);
    await server.quiet();
  });

  test("nothing stays at a signal that outlives the stream", async () => {
    await using server = await EventServer.start(rest);
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners += 1;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners -= 1;
      removeEventListener.apply(signal, args);
    };
    await take(resume(server, { signal }), 1);
    expect(listeners).toBe(0);
  });
});

describe("leaves", () => {
  test.each<[string, Answer, Partial<ResumeOptions>]>([
    ["request", silence, {}],
    ["read", stream(":\n\n", "hold"), {}],
    ["wait", status(503), { backoff: LONG }],
  ])("a pending %s at once, and the socket is closed", async (_, answer, options) => {
    let waiting: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      waiting = resolve;
    });
    await using server = await EventServer.start((request, response) => {
      answer(request, response);
      setTimeout(waiting, 20);
    });
    const events = resume(server, options);
    const pending = events.next();
    await reached;
    expect(await events.return(undefined)).toEqual({ done: true, value: undefined });
    expect(await pending).toEqual({ done: true, value: undefined });
    if (!options.backoff) await server.quiet();
    expect(server.requested).toHaveLength(1);
  });

  test("an `open` that ignores its signal: a late response is discarded", async () => {
    let answer: (response: Response) => void = () => undefined;
    let discarded: () => void = () => undefined;
    const cancelled = new Promise<void>((resolve) => {
      discarded = resolve;
    });
    const events = resumeEvents({
      open: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    const pending = events.next();
    await events.return(undefined);
    expect(await pending).toEqual({ done: true, value: undefined });
    answer(new Response(new ReadableStream({ cancel: discarded })));
    await cancelled;
  });

  test("from inside onReconnect", async () => {
    await using server = await EventServer.start(status(503));
    const events = resume(server, {
      backoff: LONG,
      onReconnect: () => void events.return(undefined),
    });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test("before it starts, without a request", async () => {
    await using server = await EventServer.start(rest);
    const events = resume(server);
    await events.return(undefined);
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(server.requested).toHaveLength(0);
  });
});

test("a consumer that stops pulling stops the server's writes", async () => {
  const EVENT = `data: ${"x".repeat(65_536)}\n\n`;
  let written = 0;
  let stalled: () => void = () => undefined;
  const full = new Promise<void>((resolve) => {
    stalled = resolve;
  });
  await using server = await EventServer.start((_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const fill = (): void => {
      let open = true;
      while (open && !response.destroyed) {
        written += EVENT.length;
        open = response.write(EVENT);
      }
    };
    let quiet: NodeJS.Timeout;
    const watch = (): void => {
      clearTimeout(quiet);
      quiet = setTimeout(stalled, 300);
    };
    response.on("drain", () => {
      watch();
      fill();
    });
    response.on("close", () => clearTimeout(quiet));
    watch();
    fill();
  });
  const events = resume(server);
  await events.next();
  await full;
  const before = written;
  expect(before).toBeLessThan(64 * 1024 * 1024);
  for (let count = 0; count < 2000; count += 1) await events.next();
  expect(written).toBeGreaterThan(before);
  await events.return(undefined);
});
