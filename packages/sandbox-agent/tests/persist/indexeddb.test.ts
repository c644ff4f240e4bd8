// The IndexedDB driver in a real Chromium.

import { startChromium } from "@sandbox-agent/testkit/chromium";
import { serveModule } from "@sandbox-agent/testkit/served-module";
import { expect, test } from "vitest";
import { CASES } from "./conformance.ts";

test("IndexedDB follows the common rules and migrates", { timeout: 120_000 }, async () => {
  const page = await serveModule(new URL("indexeddb-page.ts", import.meta.url));
  const browser = await startChromium();
  try {
    const tab = await browser.newPage();
    await tab.goto(page.url);
    await tab.waitForFunction("globalThis.results !== undefined");
    const results = await tab.evaluate("globalThis.results");
    const names = [...CASES.map(({ name }) => name), "migration"];
    expect(results).toEqual(Object.fromEntries(names.map((name) => [name, "ok"])));
  } finally {
    await browser.close();
    await page[Symbol.asyncDispose]();
  }
});
