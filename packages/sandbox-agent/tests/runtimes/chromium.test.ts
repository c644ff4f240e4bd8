// The portable cases in a page of Chromium. The page has another origin than the daemon, so CORS applies.

import { startChromium } from "@sandbox-agent/testkit/chromium";
import { type ServedPage, serveModule } from "@sandbox-agent/testkit/served-module";
import { afterAll, beforeAll } from "vitest";
import { declareTests } from "./declare-tests.ts";
import type { Runtime } from "./harness.ts";
import { webSuites } from "./suites.ts";

let served: ServedPage;
beforeAll(async () => {
  served = await serveModule(new URL("program.browser.ts", import.meta.url));
});
afterAll(() => served?.[Symbol.asyncDispose]());

/** The browser's own line for every failed request. The cases make requests fail on purpose. */
const FAILED_REQUEST = "Failed to load resource: ";

async function launch(harness: string): Promise<Runtime> {
  const browser = await startChromium();
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`uncaught error: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    if (!message.text().startsWith(FAILED_REQUEST)) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("crash", () => complaints.push("the page crashed"));
  await page.goto(`${served.url}?harness=${encodeURIComponent(harness)}`);
  const finished = page.evaluate(() => (globalThis as unknown as { finished: Promise<void> }).finished);
  const ended = finished
    .catch((error: unknown) => void complaints.push(String(error)))
    .then(() => browser.close())
    .then(() => complaints);
  return { ended, kill: () => browser.close() };
}

declareTests(webSuites, launch, () => ["--cors-allow-origin", new URL(served.url).origin]);
