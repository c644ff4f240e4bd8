// docs/guides/web-app.md: its server and its page work in a browser, over a reload and a killed daemon.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Daemon, freePort, startDaemon } from "@sandbox-agent/testkit";
import { startChromium } from "@sandbox-agent/testkit/chromium";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { blocks, ROOT } from "./pages.ts";

const PAGE = "docs/guides/web-app.md";
const PATIENCE_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), "sa-web-app-"));
let daemon: Daemon;
let browser: Browser;
let server: ChildProcess;
let address = "";
let printed = "";

beforeAll(async () => {
  address = `http://127.0.0.1:${await freePort()}`;
  [daemon, browser] = await Promise.all([startDaemon(), startChromium(), bundle()]);
  const env = {
    ...process.env,
    APP_URL: address,
    SANDBOX_AGENT_ENDPOINT: daemon.baseUrl,
    SANDBOX_AGENT_TOKEN: daemon.token,
  };
  server = spawn(process.execPath, ["server.mjs"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [server.stdout, server.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  await vi.waitFor(() => expect(printed).toContain(`open ${address}`), PATIENCE_MS);
}, 120_000);

afterAll(async () => {
  server?.kill();
  await Promise.all([browser?.close(), daemon?.stop()]);
  rmSync(folder, { recursive: true });
});

test("a user approves, answers, reloads, and continues after the daemon was killed", async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(address);
  const send = async (text: string) => {
    await page.fill("#text", text);
    await page.getByRole("button", { name: "Send" }).click();
  };

  await send("edit notes.txt\nquestion single\nsay Done.");
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Allow once" }).click();
  await page.getByRole("button", { name: "Green" }).click();
  await page.getByText("assistant: Done.").waitFor();
  expect(await page.locator("#requests").textContent()).toBe("");
  expect(await page.locator("#changes").textContent()).toContain("+This line was added by the demo agent.");
  await expect.poll(() => printed, { timeout: PATIENCE_MS }).toMatch(/turnEnded/);

  await daemon.kill();
  await daemon.start();
  await send("say Still here.");
  await page.getByText("assistant: Still here.").waitFor();
  expect(await page.getByText("assistant: Done.").count()).toBe(1);
  expect(printed).not.toContain("Error");
}, 180_000);

/** Writes the files of the page, the server as JavaScript. */
async function bundle(): Promise<void> {
  const [html = "", source = ""] = ["html", "ts"].map(
    (language) => blocks(PAGE).find((block) => block.language === language)?.text,
  );
  writeFileSync(join(folder, "index.html"), html);
  await build({
    stdin: { contents: source, resolveDir: ROOT, loader: "ts" },
    outfile: join(folder, "server.mjs"),
    nodePaths: [join(ROOT, "node_modules")],
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["@sandbox-agent/source"],
    logLevel: "silent",
  });
}
