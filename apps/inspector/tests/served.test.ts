// The daemon itself serves the page: without a token, with its policy, cached, compressed.

import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

let daemon: Daemon;

beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.stop());

test("the page needs no token and forbids everything from elsewhere", async () => {
  const response = await fetch(`${daemon.baseUrl}/ui/`);
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
  expect(response.headers.get("Content-Security-Policy")).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(response.headers.get("Cache-Control")).toBe("no-cache");
  const etag = response.headers.get("ETag") ?? "";
  const again = await fetch(`${daemon.baseUrl}/ui/`, { headers: { "If-None-Match": etag } });
  expect(again.status).toBe(304);
});

test("the folder without its slash leads to the page, and nothing else is open", async () => {
  const redirect = await fetch(`${daemon.baseUrl}/ui`, { redirect: "manual" });
  expect([redirect.status, redirect.headers.get("Location")]).toEqual([308, "ui/"]);
  expect((await fetch(`${daemon.baseUrl}/ui/nothing.js`)).status).toBe(404);
  expect((await fetch(`${daemon.baseUrl}/uix`)).status).toBe(401);
  expect((await fetch(`${daemon.baseUrl}/ui/../v1/agents`)).status).toBe(401);
});

test("the daemon prints the address of the page", () => {
  expect(daemon.log).toContain(`  open   ${daemon.baseUrl}/ui/\n`);
  expect(daemon.log).not.toContain(daemon.token);
});
