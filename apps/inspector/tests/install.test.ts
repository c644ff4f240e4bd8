// Agents are installed from Home, with progress, and with a retry when it fails.

import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Harness } from "./harness.ts";

const PROGRAM = Buffer.from(`#!/bin/sh\nexit 0\n${"#".repeat(4 * 1_048_576)}\n`);
const SUM = createHash("sha256").update(PROGRAM).digest("hex");

let mirror: Server;
let harness: Harness;
let isBroken = true;
/** Sends the second half of the program. */
let finish: () => void;

beforeAll(async () => {
  const rest = new Promise<void>((resolve) => {
    finish = resolve;
  });
  mirror = createServer((request, response) => {
    const url = request.url ?? "";
    if (isBroken || !url.startsWith("/static.ampcode.com/")) response.writeHead(404).end();
    else if (url.endsWith("cli-version.txt")) response.end("0.0.1\n");
    else if (url.endsWith(".sha256")) response.end(`${SUM}\n`);
    else {
      const half = PROGRAM.length / 2;
      response.writeHead(200, { "Content-Length": PROGRAM.length });
      response.write(PROGRAM.subarray(0, half));
      void rest.then(() => response.end(PROGRAM.subarray(half)));
    }
  });
  await new Promise<void>((resolve) => mirror.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`;
  harness = await Harness.start({ flags: ["--mirror", address, "--npm-registry", address] });
}, 120_000);
afterAll(async () => {
  await harness?.[Symbol.asyncDispose]();
  mirror?.close();
});

test("a failure is explained, and a retry installs with progress", { timeout: 90_000 }, async () => {
  const page = await harness.open();
  const row = page.locator(".agent-row").filter({ hasText: "Amp" });
  await row.getByRole("button", { name: "Install Amp" }).click();
  await row.getByRole("alert").waitFor({ timeout: 60_000 });
  isBroken = false;
  await row.getByRole("button", { name: "Install Amp" }).click();
  await row.getByText(/Downloading .+ of 4\.0 MiB/).waitFor();
  finish();
  await row.getByRole("button", { name: "Start a session with Amp" }).waitFor();
  expect(await row.textContent()).toContain("0.0.1");
});
