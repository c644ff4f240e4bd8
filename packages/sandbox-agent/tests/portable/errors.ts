// Failures: each call settles with the error of its status.

import {
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  InvalidValueError,
  NotFoundError,
  PayloadTooLargeError,
  SandboxAgent,
  TimeoutError,
  TokenInvalidError,
  TooManyRequestsError,
  UnexpectedResponseError,
} from "sandbox-agent";
import { check, first, rejection, same } from "./assert.ts";
import type { Case } from "./case.ts";

export const cases: Case[] = [
  {
    name: "401, 404, 409, 413, 422 and 429 are errors of their own, with the id of the request",
    async run(environment) {
      const client = await SandboxAgent.connect(environment);
      const session = await client.sessions.create({ agent: "demo", id: `errors-${crypto.randomUUID()}` });
      const stranger = await SandboxAgent.connect({ ...environment, token: "wrong", healthTimeoutMs: 0 });
      const running = session.send("hang");
      await first(running, (event) => event.type === "turnStarted");
      const queued = [session.send("say 1"), session.send("say 2")];
      await Promise.all(queued.map((turn) => turn.accepted));
      const errors = [
        await rejection(stranger.sessions.page(), TokenInvalidError),
        await rejection(stranger.fs.readText("x"), TokenInvalidError),
        await rejection(client.sessions.get("nobody"), NotFoundError),
        await rejection(client.sessions.create({ agent: "demo", id: session.id }), ConflictError),
        await rejection(session.send("x".repeat(1_100_000)).accepted, PayloadTooLargeError),
        await rejection(client.sessions.create({ agent: "demo", cwd: "/not/here" }), InvalidValueError),
        await rejection(session.send("say 3").accepted, TooManyRequestsError),
        await rejection(client.sessions.create({ agent: "demo", id: "not an id" }), InvalidRequestError),
      ];
      same(
        errors.map((error) => error.status),
        [401, 401, 404, 409, 413, 422, 429, 400],
      );
      for (const { requestId } of errors) check(/^[0-9a-f]{32}$/.test(requestId ?? ""), `${requestId}`);
      await session.cancel();
      same((await running.done).stopReason, "cancelled");
    },
  },
  {
    name: "an unknown agent is an error at once, and the client is as good as before",
    async run(environment) {
      const client = await SandboxAgent.connect(environment);
      await rejection(client.sessions.create({ agent: "nosuch" }), InvalidValueError);
      const session = await client.sessions.create({ agent: "demo" });
      same((await session.send("say fine").done).text, "fine");
    },
  },
  {
    name: "a turn longer than every timeout of the client has its result",
    async run(environment) {
      const client = await SandboxAgent.connect({ ...environment, timeoutMs: 5_000 });
      const session = await client.sessions.create({ agent: "demo" }, { timeoutMs: 30_000 });
      same((await session.send("say one\nsleep 6000\nsay two").done).text, "two");
    },
  },
  {
    name: "nobody there, no daemon there, and too slow are three different errors",
    async run(environment) {
      const retry = { attempts: 0 };
      const at = (fetch: typeof globalThis.fetch) =>
        SandboxAgent.connect({
          baseUrl: environment.baseUrl,
          fetch,
          retry,
          timeoutMs: 100,
          healthTimeoutMs: 0,
        });
      const broken = await at(() => Promise.reject(new TypeError("fetch failed")));
      await rejection(broken.health(), ConnectionError);
      const gateway = await at(async () => new Response("<h1>Bad Gateway</h1>", { status: 502 }));
      same((await rejection(gateway.health(), UnexpectedResponseError)).status, 502);
      const silent = await at((_, init) => {
        return new Promise((_, reject) => {
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
        });
      });
      await rejection(silent.health(), TimeoutError);
      const reason = new Error("enough");
      const pending = silent.health({ signal: AbortSignal.abort(reason) });
      same(await rejection(pending, Error), reason);
    },
  },
  {
    name: "a body that stalls is a timeout, also in the middle of a file",
    async run(environment) {
      const fetch: typeof globalThis.fetch = async (_, init) => {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(new TextEncoder().encode("the beginning"));
            init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason));
          },
        });
        return new Response(body);
      };
      const options = { baseUrl: environment.baseUrl, fetch, timeoutMs: 100, healthTimeoutMs: 0 };
      const client = await SandboxAgent.connect(options);
      await rejection(client.fs.read("file"), TimeoutError);
      const stream = await client.fs.readStream("file");
      const reader = stream.getReader();
      same((await reader.read()).value?.length, 13);
      await rejection(reader.read(), TimeoutError);
    },
  },
  {
    name: "streams that never work end with our errors: an empty one, a page of a gateway, one that breaks",
    async run({ baseUrl }) {
      const reconnect = { initialMs: 1, maxMs: 2, attempts: 2 };
      const at = (answer: () => Response) =>
        SandboxAgent.connect({ baseUrl, reconnect, healthTimeoutMs: 0, fetch: async () => answer() });
      const headers = { "Content-Type": "text/event-stream" };
      const empty = await at(() => new Response("", { headers }));
      await rejection(empty.fs.watch().next(), ConnectionError);
      await rejection(empty.agents.install("demo"), ConnectionError);
      const page = await at(
        () => new Response("<h1>Hello</h1>", { headers: { "Content-Type": "text/html" } }),
      );
      const error = await rejection(page.processes.follow("x").next(), UnexpectedResponseError);
      same([error.status, error.body], [200, "<h1>Hello</h1>"]);
      const broken = await at(() => {
        const body = new ReadableStream({
          start: (controller) => controller.error(new TypeError("terminated")),
        });
        return new Response(body, { headers });
      });
      await rejection(broken.fs.watch().next(), ConnectionError);
    },
  },
];
