// Broken networks between client and daemon: connections that are cut, stall, or live too short.

import { type Daemon, startDaemon, startTcpProxy, type TcpProxy } from "@sandbox-agent/testkit";
import { AcpTransportError, DeliveryError } from "acp-http-client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { counted, type DemoClient, openPeer, prompt, said, start, until } from "./demo-client/demo.ts";
import { RESUMABLE, type Timing, TRANSPORTS } from "./demo-client/transports.ts";

const FAST: Timing = { reconnect: { initialMs: 10, maxMs: 100, attempts: 40 } };

let daemon: Daemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.stop());

interface Faulty {
  demo: DemoClient;
  proxy: TcpProxy;
}

async function connect(name: string, timing: Timing = FAST, unconfirmedMs?: number): Promise<Faulty> {
  const proxy = await startTcpProxy(daemon.baseUrl);
  const make = TRANSPORTS[name];
  if (make === undefined) throw new Error(`no transport '${name}'`);
  const transport = make({ baseUrl: proxy.baseUrl, headers: daemon.headers }, timing);
  const demo = openPeer(transport, unconfirmedMs === undefined ? {} : { unconfirmedMs });
  onTestFinished(async () => {
    await demo.close();
    await proxy[Symbol.asyncDispose]();
  });
  return { demo, proxy };
}

function kinds(demo: DemoClient): string[] {
  return demo.events.map(({ type }) => type);
}

for (const name of Object.keys(RESUMABLE))
  describe(name, () => {
    test("a turn continues after cuts in the middle of a frame, with nothing missing and nothing twice", async () => {
      const { demo, proxy } = await connect(name);
      const session = await start(demo);
      const turn = prompt(demo, session, "stream 600 every 8");
      for (const share of [30, 100, 170]) {
        await until(() => said(demo, session).length > counted(share).length);
        proxy.cutAfter(100);
        const seen = kinds(demo).filter((kind) => kind === "reconnected").length;
        await until(() => kinds(demo).filter((kind) => kind === "reconnected").length > seen);
      }
      expect(await turn).toBe("end_turn");
      expect(said(demo, session)).toBe(counted(600));
      expect(kinds(demo)).not.toContain("gap");
    });

    test("defect B: a turn outlives every connection", async () => {
      const { demo, proxy } = await connect(name);
      const session = await start(demo);
      const turn = prompt(demo, session, "stream 60 every 40\nsleep 1200\nsay done");
      await until(() => said(demo, session) !== "");
      proxy.lifetimeMs = 500;
      proxy.cut();
      expect(await turn).toBe("end_turn");
      expect(said(demo, session)).toBe(`${counted(60)}I slept for 1200 ms.done`);
    });

    test("defect D: a permission that is asked while the stream is broken is seen", async () => {
      const { demo, proxy } = await connect(name);
      const session = await start(demo);
      const turn = prompt(demo, session, "say begun\nsleep 200\npermission Deploy");
      await until(() => said(demo, session) !== "");
      proxy.refuse();
      proxy.cut();
      await until(() => kinds(demo).includes("reconnecting"));
      await new Promise((resolve) => setTimeout(resolve, 300));
      proxy.pass();
      expect(await turn).toBe("end_turn");
      expect(demo.asked).toEqual(["Deploy"]);
    });

    test("an answer that is lost with its connection is sent again", async () => {
      const { demo, proxy } = await connect(name);
      const session = await start(demo);
      demo.onAsked = () => proxy.stall();
      const turn = prompt(demo, session, "permission Deploy");
      await until(() => proxy.swallowed > 0);
      proxy.pass();
      proxy.cut();
      expect(await turn).toBe("end_turn");
      expect(said(demo, session)).toContain("allow_once");
      expect(demo.asked).toEqual(["Deploy"]);
    });
  });

for (const name of ["http", "standard http"])
  describe(name, () => {
    test("a prompt whose acknowledgment is lost is not sent again, and its response is found", async () => {
      const { demo, proxy } = await connect(name);
      const session = await start(demo);
      proxy.cutAnswerOf((text) => text.includes('"session/prompt"'));
      expect(await prompt(demo, session, "say once")).toBe("end_turn");
      expect(said(demo, session)).toBe("once");
    });

    test("a prompt that may not have arrived fails in the end, and the connection works on", async () => {
      const timing: Timing = { ...FAST, statusMs: 1_500, idleMs: 2_000 };
      const { demo, proxy } = await connect(name, timing, 1_500);
      const session = await start(demo);
      proxy.stall();
      const error = await prompt(demo, session, "say lost").catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(DeliveryError);
      expect(error).toMatchObject({ outcome: "unknown" });
      proxy.pass();
      proxy.cut();
      // A request on a connection that is being reset would be ambiguous again.
      await until(() => kinds(demo).at(-1) === "reconnected");
      expect(await prompt(demo, session, "say here")).toBe("end_turn");
      expect(said(demo, session)).toBe("here");
    });

    test("an answer to the agent is repeated until it has arrived", async () => {
      const { demo, proxy } = await connect(name);
      const session = await start(demo);
      proxy.cutAnswerOf((text) => text.includes('"outcome"'));
      expect(await prompt(demo, session, "permission Deploy")).toBe("end_turn");
      expect(said(demo, session)).toContain("allow_once");
    });
  });

describe("a server that stays away", () => {
  for (const name of Object.keys(TRANSPORTS))
    test(`${name}: pending requests fail and the connection says why`, async () => {
      const { demo, proxy } = await connect(name, { reconnect: { initialMs: 5, maxMs: 10, attempts: 5 } });
      const session = await start(demo);
      const turn = prompt(demo, session, "say begun\nhang").catch((error: unknown) => error);
      await until(() => said(demo, session) === "begun");
      proxy.refuse();
      proxy.cut();
      expect(await turn).toBeInstanceOf(AcpTransportError);
      expect(await demo.closed).toMatchObject({ kind: "failed", error: expect.any(AcpTransportError) });
      expect(kinds(demo).at(-1)).toBe("closed");
    });
});

test("closing releases every connection", async () => {
  for (const name of Object.keys(TRANSPORTS)) {
    const { demo, proxy } = await connect(name);
    const session = await start(demo);
    const turn = prompt(demo, session, "hang").catch((error: unknown) => error);
    await demo.close();
    expect(await turn).toBeInstanceOf(AcpTransportError);
    // Idle connections of `fetch` are kept for later requests, but none is in use.
    proxy.cut();
    await until(() => proxy.open === 0);
  }
});
