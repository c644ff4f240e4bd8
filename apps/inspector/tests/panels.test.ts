// The panels: files with conflicts and uploads, terminals, the event log, settings.

import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
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

test("dropped and chosen files are uploaded, and the tree follows the disk", async () => {
  const page = await harness.open("#/files");
  await page.getByLabel("Search files").waitFor();
  await drop(page, ".files-tree", { name: "dropped.txt", text: "by drop" });
  await page.getByRole("button", { name: /dropped.txt/ }).waitFor();
  expect(await harness.client.fs.readText("dropped.txt")).toBe("by drop");
  await page
    .getByLabel("Upload files")
    .setInputFiles({ name: "up.txt", mimeType: "text/plain", buffer: Buffer.from("up") });
  await page.getByRole("button", { name: /up.txt/ }).waitFor();
  writeFileSync(join(harness.daemon.home, "later.txt"), "x");
  await page.getByRole("button", { name: /later.txt/ }).waitFor();
  expect(await harness.client.fs.readText("up.txt")).toBe("up");
  await page.context().close();
});

test("files that are dropped before the tree is known, or written before it is watched, are shown", async () => {
  const page = await harness.open();
  const [root, watch] = [await hold(page, "**/v1/fs/stat?*"), await hold(page, "**/v1/fs/watch?*")];
  await page.evaluate((hash) => location.assign(hash), "#/files");
  await root.asked;
  await drop(page, ".files-tree", { name: "early.txt", text: "by drop" });
  root.release();
  await page.getByRole("button", { name: /early.txt/ }).waitFor();
  await watch.asked;
  writeFileSync(join(harness.daemon.home, "unwatched.txt"), "x");
  watch.release();
  await page.getByRole("button", { name: /unwatched.txt/ }).waitFor();
  await page.context().close();
});

/** Holds requests back until they are released. */
async function hold(page: Page, url: string): Promise<{ asked: Promise<unknown>; release: () => void }> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const asked = page.waitForRequest(url);
  await page.route(url, async (route) => {
    await released;
    await route.continue();
  });
  return { asked, release };
}

test("a file that is dropped on the composer is attached to the message", async () => {
  const session = await harness.session();
  await drop(session.page, ".composer-box", { name: "brief.txt", text: "the brief" });
  await session.page.getByText("brief.txt").waitFor();
  await session.send("say read it");
  await session.transcript.getByText("read it", { exact: true }).waitFor();
  await session.transcript.getByText("brief.txt").waitFor();
  await session.page.context().close();
});

/** Drops a file as a file manager does. */
async function drop(page: Page, selector: string, file: { name: string; text: string }): Promise<void> {
  const data = await page.evaluateHandle(({ name, text }) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], name, { type: "text/plain" }));
    return transfer;
  }, file);
  for (const type of ["dragenter", "dragover", "drop"]) {
    await page.dispatchEvent(selector, type, { dataTransfer: data });
  }
}

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

test("raw ACP stands next to the events, and an event leads to its row", { timeout: 60_000 }, async () => {
  const session = await harness.session();
  const lines = Array.from({ length: 60 }, (_, line) => `say line ${line}`);
  await session.send(["say the very first", ...lines].join("\n"));
  await session.page.getByText("Done", { exact: true }).waitFor();
  await session.page.getByRole("button", { name: "Events" }).click();
  await session.page.getByRole("button", { name: "Raw ACP" }).click();
  const raw = session.page.getByRole("region", { name: "Raw ACP" });
  const events = session.page.getByRole("region", { name: "Event log" });
  await session.page.getByLabel("Filter events").fill("the very first");
  await raw.getByRole("button", { name: /agent_message_chunk/ }).click();
  await raw.getByText(/"jsonrpc"/).waitFor();
  const boxes = await Promise.all([events.boundingBox(), raw.boundingBox()]);
  expect(boxes[0]?.y).toBe(boxes[1]?.y);
  expect(boxes[0]?.x).toBeLessThan(boxes[1]?.x ?? 0);
  await expect.poll(() => session.transcript.getByText("the very first", { exact: true }).count()).toBe(0);
  await events
    .getByRole("button", { name: /^\d+ ?message/ })
    .last()
    .click();
  await events.getByRole("button", { name: "Show in transcript" }).click();
  await session.transcript.getByText("the very first", { exact: true }).waitFor();
  await session.page.context().close();
});

test("events and other objects are copied as curl, TypeScript and a link, and each works", {
  timeout: 90_000,
}, async () => {
  const session = await harness.session(
    {},
    await harness.open("", { permissions: ["clipboard-read", "clipboard-write"] }),
  );
  const { page } = session;
  await session.send("say copy me");
  await page.getByText("Done", { exact: true }).waitFor();
  const copied = async (menu: Locator, entry: string): Promise<string> => {
    await menu.click();
    await page.getByRole("menuitem", { name: entry }).click();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  // Not synchronous: this process serves the page's origin.
  const shell = async (command: string): Promise<unknown> => {
    const env = { PATH: process.env["PATH"], SANDBOX_AGENT_TOKEN: harness.daemon.token };
    return JSON.parse((await promisify(execFile)("sh", ["-c", command], { env })).stdout);
  };
  const actions = page.getByRole("button", { name: "Session actions" });
  expect(await shell(await copied(actions, "Copy as curl"))).toMatchObject({ sessionId: session.id });
  const program = await copied(actions, "Copy as TypeScript");
  expect(program).toContain(`client.sessions.get("${session.id}")`);
  expect(program).not.toContain(harness.daemon.token);
  expect(await copied(actions, "Copy link")).toBe(`${harness.front.baseUrl}/ui/#/sessions/${session.id}`);
  const turn = page.getByRole("button", { name: "Copy this turn" });
  expect(await shell(await copied(turn, "Copy as curl"))).toMatchObject({ events: [{ type: "turnEnded" }] });
  const link = await copied(turn, "Copy link");
  // The mark lasts a moment only.
  await Promise.all([
    page.locator(".transcript-row-pointed").waitFor({ state: "attached" }),
    page.goto(link),
  ]);
  await page.goto(`${harness.front.baseUrl}/ui/#/`);
  await page.getByRole("button", { name: /^Demo/ }).click();
  const agent = page.getByRole("button", { name: "Copy Demo Agent" });
  expect(await shell(await copied(agent, "Copy as curl"))).toMatchObject({ id: "demo" });
  await page.context().close();
});

test("a session is saved as a file that can be imported, and as Markdown", { timeout: 60_000 }, async () => {
  const session = await harness.session({ title: "To share" });
  const { page } = session;
  await session.send("edit shared.md\nsay all done");
  await page.getByRole("button", { name: /Allow once/ }).click();
  await page.getByText("Done", { exact: true }).waitFor();
  const save = async (entry: string): Promise<string> => {
    await page.getByRole("button", { name: "Session actions" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: entry }).click(),
    ]);
    return download.path();
  };
  const markdown = readFileSync(await save("Save as Markdown"), "utf8");
  expect(markdown).toMatch(/^# To share\n/);
  expect(markdown).toContain("## You\n\nedit shared.md");
  expect(markdown).toContain("+This line was added by the demo agent.");
  expect(markdown).toContain("all done");
  const file = await save("Export");
  await page.goto(`${harness.front.baseUrl}/ui/#/`);
  await page.getByLabel("Import a session").setInputFiles(file);
  await expect.poll(() => page.url()).toContain("#/sessions/import-");
  await session.transcript.getByText("all done", { exact: true }).waitFor();
  await page.context().close();
});

test("changes come from git where there is a repository: commits, commands and untracked files included", {
  timeout: 60_000,
}, async () => {
  const folder = join(harness.daemon.home, "repository");
  mkdirSync(folder);
  const git = (...args: string[]): void => {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
    execFileSync("git", [...identity, ...args], { cwd: folder, stdio: "ignore" });
  };
  writeFileSync(join(folder, "kept.txt"), "same\n");
  writeFileSync(join(folder, "old name.txt"), "a\nb\nc\nd\n");
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "Start");
  // git knows seconds only.
  const session = await harness.session({ cwd: folder });
  await session.page.getByRole("button", { name: "Changes" }).click();
  const panel = session.page.getByRole("complementary", { name: "Side panel" });
  await panel.getByText("The files are as they were.").waitFor();
  git("mv", "old name.txt", "new name.txt");
  writeFileSync(join(folder, "untracked.txt"), "not added\n");
  writeFileSync(join(folder, "image.bin"), Buffer.from([0, 1, 2, 3]));
  await panel.getByRole("button", { name: "Read the changes again" }).click();
  await panel.getByText("3 changed files").waitFor();
  await panel.getByText("not added").waitFor();
  await panel.getByText(/not shown: no text/).waitFor();
  await session.send("edit kept.txt\nsay edited");
  await session.page.getByRole("button", { name: /Allow once/ }).click();
  await session.transcript.getByText("edited", { exact: true }).waitFor();
  await panel.getByRole("button", { name: "Edits only" }).click();
  await panel.getByText("1 changed file").waitFor();
  await panel.getByText(/From the agent's edits/).waitFor();
  await session.page.context().close();
});

test("Home shows what stands in the way of an agent, and checks that it starts", {
  timeout: 60_000,
}, async () => {
  const page = await harness.open();
  await page.getByRole("button", { name: /^Demo/ }).click();
  const findings = page.getByRole("group", { name: "Findings about Demo Agent" });
  await findings.getByText("None is needed.").waitFor();
  await findings.getByRole("button", { name: "Check that it starts" }).click();
  await findings.getByText(/answers initialize and session\/new/).waitFor();
  await page.getByRole("button", { name: /^Claude Code/ }).click();
  const missing = page.getByRole("group", { name: "Findings about Claude Code" });
  await missing.getByText(/Not installed/).waitFor();
  await missing.getByText(/No credentials were found/).waitFor();
  await missing.getByText(/set its API key/).waitFor();
  await page.context().close();
});

test("MCP servers are added and removed", async () => {
  const page = await harness.open("#/settings");
  const section = page.getByRole("region", { name: "MCP servers" });
  await section.getByRole("button", { name: "Add" }).click();
  await section.getByLabel("Name").fill("docs");
  await section.getByRole("button", { name: "Save" }).click();
  // The editor shows the command as well. Only a saved server can be deleted.
  const remove = section.getByRole("button", { name: "Delete docs" });
  await remove.waitFor();
  await section.getByText("my-mcp-server").waitFor();
  expect(Object.keys(await harness.client.config.mcp.list(harness.daemon.home))).toEqual(["docs"]);
  await remove.click();
  await expect.poll(() => section.getByText("my-mcp-server").count()).toBe(0);
  await page.context().close();
});
