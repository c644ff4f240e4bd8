// The page behind a gateway that serves the daemon below a path of its own.

import { startDaemon } from "@sandbox-agent/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Harness } from "./harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.before(await startDaemon(), "/sandboxes/a");
}, 120_000);
afterAll(() => harness?.[Symbol.asyncDispose]());

test("sessions, streams and terminals work below a path prefix", { timeout: 60_000 }, async () => {
  const outside: string[] = [];
  const session = await harness.session();
  const { page } = session;
  page.on("request", (request) => {
    if (!request.url().startsWith(`${harness.front.baseUrl}/`)) outside.push(request.url());
  });
  await session.send("say Through the gateway.");
  await session.transcript.getByText("Through the gateway.", { exact: true }).waitFor();
  await page.goto(`${harness.front.baseUrl}/ui/#/terminals`);
  await page.getByRole("button", { name: "Open a terminal" }).click();
  await page.locator(".xterm-screen").waitFor();
  await page.keyboard.type("echo $((6 * 7))\n");
  await page.locator(".xterm-rows", { hasText: "42" }).waitFor();
  expect(outside).toEqual([]);
  expect(harness.complaints).toEqual([]);
  await page.context().close();
});
