// A whole conversation with the demo agent of the real daemon, on every transport, through our peer and the official SDK.

import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  CLIENTS,
  counted,
  type DemoClient,
  initialize,
  newSession,
  prompt,
  said,
  start,
  until,
} from "./demo-client/demo.ts";
import { TRANSPORTS } from "./demo-client/transports.ts";

let daemon: Daemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.stop());

for (const [name, transport] of Object.entries(TRANSPORTS))
  for (const [kind, open] of Object.entries(CLIENTS))
    describe(`${name}, ${kind}`, () => suite(() => open(transport(daemon))));

function suite(connect: () => DemoClient): void {
  function opened(): DemoClient {
    const demo = connect();
    onTestFinished(() => demo.close());
    return demo;
  }

  test("a prompt is answered after all its updates", async () => {
    const demo = opened();
    expect((await initialize(demo)).protocolVersion).toBe(1);
    const session = await newSession(demo);
    expect(await prompt(demo, session, "stream 300")).toBe("end_turn");
    expect(said(demo, session)).toBe(counted(300));
  });

  test("sessions run at the same time", async () => {
    const demo = opened();
    const sessions = [await start(demo), await newSession(demo), await newSession(demo)];
    const turns = sessions.map((session, index) =>
      prompt(demo, session, `stream 40 every 2\nsay end ${index}`),
    );
    expect(await Promise.all(turns)).toEqual(["end_turn", "end_turn", "end_turn"]);
    expect(sessions.map((session) => said(demo, session))).toEqual(
      sessions.map((_, index) => `${counted(40)}end ${index}`),
    );
  });

  test("permissions are asked for and given", async () => {
    const demo = opened();
    const session = await start(demo);
    for (const choice of ["allow_once", "reject_once"]) {
      demo.choice = choice;
      await prompt(demo, session, `permission ${choice}`);
    }
    expect(demo.asked).toEqual(["allow_once", "reject_once"]);
    expect(said(demo, session)).toBe(
      'Permission for "allow_once": allow_once.Permission for "reject_once": reject_once.',
    );
  });

  test("a turn is canceled, also while the agent asks", async () => {
    const demo = opened();
    const session = await start(demo);
    demo.choice = undefined;
    for (const script of ["say begun\nhang", "say begun\npermission x"]) {
      const before = said(demo, session);
      const turn = prompt(demo, session, script);
      await until(() => said(demo, session) === `${before}begun`);
      await demo.notify("session/cancel", { sessionId: session });
      expect(await turn).toBe("cancelled");
    }
  });

  test("an error of the agent rejects its request only", async () => {
    const demo = opened();
    const session = await start(demo);
    await expect(prompt(demo, session, "error -32050 No luck")).rejects.toMatchObject({
      code: -32050,
      message: "No luck",
    });
    await expect(demo.request("_no/such", {})).rejects.toMatchObject({ code: -32601 });
    expect(await prompt(demo, session, "say still here")).toBe("end_turn");
  });

  test("large messages pass both ways", async () => {
    const demo = opened();
    const session = await start(demo);
    const image = { type: "image", mimeType: "image/png", data: "A".repeat(3_000_000) };
    const { stopReason } = await demo.request<{ stopReason: string }>("session/prompt", {
      sessionId: session,
      prompt: [{ type: "text", text: "image\nbig 3000000" }, image],
    });
    expect(stopReason).toBe("end_turn");
    expect(said(demo, session).length).toBeGreaterThan(2_900_000);
  });

  test("closing settles what is pending", async () => {
    const demo = opened();
    const session = await start(demo);
    const turn = prompt(demo, session, "hang").catch((error: unknown) => error);
    await demo.close();
    expect(await turn).toBeInstanceOf(Error);
    expect(await demo.closed).toEqual({ kind: "closed" });
    await expect(prompt(demo, session, "say late")).rejects.toBeInstanceOf(Error);
  });
}
