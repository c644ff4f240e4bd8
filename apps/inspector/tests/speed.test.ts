// Speed: a long session, and the first load. Figures on the clock are the bench's; these limits hold on a busy or slow machine.

import { gzipSync } from "node:zlib";
import type { Response } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Harness } from "./harness.ts";
import {
  cpuSeconds,
  metricsOf,
  observePaint,
  openLong,
  scrollUp,
  tasksOf,
  unitOfWork,
  type Watched,
} from "./measure.ts";
import { longSession } from "./recorded.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
}, 120_000);
afterAll(() => harness?.[Symbol.asyncDispose]());

/** Units of work that opening a long session takes at most, and the longest task of scrolling: 1 s and 50 ms where a unit is 20 ms. */
const OPENING = 50;
const LONGEST_TASK = 2.5;

test("20,000 events open with little work and scroll without long tasks", {
  timeout: 180_000,
}, async () => {
  const long = await longSession(harness.client, 2_000);
  expect(long.info.lastEventId).toBeGreaterThan(20_000);
  const page = await harness.open();
  await page.getByText("available").waitFor();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const unit = await unitOfWork(page, devtools);
  const before = await cpuSeconds(devtools);
  await openLong(page, long.id);
  expect((await cpuSeconds(devtools)) - before).toBeLessThan(OPENING * unit);
  await harness.browser.startTracing(page, {
    categories: ["toplevel", "disabled-by-default-devtools.timeline"],
  });
  await scrollUp(page);
  const tasks = tasksOf(await harness.browser.stopTracing());
  expect(tasks.length).toBeGreaterThan(100);
  expect(tasks[0]).toBeLessThan(LONGEST_TASK * unit * 1_000);
  expect(await page.locator(".transcript-row").count()).toBeLessThan(60);
  await devtools.send("HeapProfiler.collectGarbage");
  expect((await metricsOf(devtools)).get("JSHeapUsedSize")).toBeLessThan(48 << 20);
  await page.context().close();
});

test("the first load is at most 120 KB compressed, from one origin, and nothing moves", {
  timeout: 60_000,
}, async () => {
  const context = await harness.context();
  const page = await context.newPage();
  await page.addInitScript(observePaint);
  const files = new Map<string, Promise<Buffer>>();
  const origins = new Set<string>();
  const read = (response: Response): void => {
    if (response.url().includes("/ui/")) files.set(response.url(), response.body());
  };
  page.on("response", read);
  page.on("response", (response) => origins.add(new URL(response.url()).origin));
  // The rest is fetched when the page is idle.
  page.once("load", () => page.off("response", read));
  await page.goto(`${harness.front.baseUrl}/ui/#token=${harness.daemon.token}`, { waitUntil: "load" });
  await page.getByText("available").waitFor();
  const { shift, moved } = await page.evaluate(() => (window as unknown as Watched).watched);
  expect(moved).toEqual([]);
  expect(shift).toBe(0);
  // Blocks this process, and with it the server of the page.
  const sizes = (await Promise.all(files.values())).map((body) => gzipSync(body).length);
  expect(sizes.length).toBeGreaterThan(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(120 * 1_024);
  expect([...origins]).toEqual([harness.front.baseUrl]);
  await context.close();
});
