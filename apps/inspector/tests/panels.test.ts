// The panels: files with conflicts and uploads, terminals, the event log, settings.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Harness } from "./harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await Harness.start();
}, 120_000);
afterAll(() => harness?.[Symbol.asyncDispose]());
afterEach(() => expect(harness.complaints.splice(0)).toEqual([]));

test("typing in a terminal reaches the shell, and another visit attaches again", async () => {
  const page = await harness.open("#/terminals");
  await page.getByRole("button", { name: "Open a terminal" }).click();
  await page.locator(".xterm-screen").waitFor();
  await page.keyboard.type("echo typed-$((40+2))\n");
  await page.locator(".xterm-rows").getByText("typed-42", { exact: true }).first().waitFor();
  await page.context().close();
  const again = await harness.open("#/terminals");
  await again.locator(".xterm-rows").getByText("typed-42", { exact: true }).first().waitFor();
  await again.getByRole("button", { name: "End this terminal" }).click();
  await again.getByRole("button", { name: "Open a terminal" }).waitFor();
  await again.context().close();
});

test("an edit of a file that changed meanwhile is refused, and can be forced", async () => {
  const path = join(harness.daemon.home, "shared.txt");
  writeFileSync(path, "one\n");
  const page = await harness.open("#/files");
  await page.getByRole("button", { name: /shared.txt/ }).click();
  const text = page.getByLabel("Content of shared.txt");
  await text.fill("mine\n");
  writeFileSync(path, "theirs\n");
  await page.getByRole("button", { name: "Save" }).click();
  await page
    .getByRole("alert")
    .getByText(/Precondition Failed/i)
    .waitFor();
  await page.getByRole("button", { name: "Overwrite" }).click();
  await expect.poll(() => harness.client.fs.readText(path)).toBe("mine\n");
  await page.context().close();
});

test("dropped files are uploaded, and the tree follows the disk", async () => {
  const page = await harness.open("#/files");
  await page.getByLabel("Search files").waitFor();
  await page
    .getByLabel("Upload files")
    .setInputFiles({ name: "up.txt", mimeType: "text/plain", buffer: Buffer.from("up") });
  await page.getByRole("button", { name: /up.txt/ }).waitFor();
  writeFileSync(join(harness.daemon.home, "later.txt"), "x");
  await page.getByRole("button", { name: /later.txt/ }).waitFor();
  expect(await harness.client.fs.readText("up.txt")).toBe("up");
  await page.context().close();
});

test("the event log can be filtered and paused", async () => {
  const session = await harness.session();
  await session.page.getByRole("button", { name: "Events" }).click();
  await session.page.getByRole("button", { name: /modeChanged/ }).waitFor();
  await session.send("say for the log");
  const row = session.page.getByRole("button", { name: /turnEnded/ });
  await row.waitFor();
  await session.page.getByRole("button", { name: "Pause" }).click();
  await session.send("say unseen");
  await session.transcript.getByText("unseen", { exact: true }).waitFor();
  expect(await row.count()).toBe(1);
  await session.page.getByRole("button", { name: "Resume" }).click();
  await expect.poll(() => row.count()).toBe(2);
  await session.page.getByLabel("Filter events").fill("turnended");
  await expect.poll(() => session.page.locator(".event-row").count()).toBe(2);
  await session.page.context().close();
});

test("MCP servers are added and removed", async () => {
  const page = await harness.open("#/settings");
  const section = page.getByRole("region", { name: "MCP servers" });
  await section.getByRole("button", { name: "Add" }).click();
  await section.getByLabel("Name").fill("docs");
  await section.getByRole("button", { name: "Save" }).click();
  await section.getByText("my-mcp-server").waitFor();
  expect(Object.keys(await harness.client.config.mcp.list(harness.daemon.home))).toEqual(["docs"]);
  await section.getByRole("button", { name: "Delete docs" }).click();
  await expect.poll(() => section.getByText("my-mcp-server").count()).toBe(0);
  await page.context().close();
});
