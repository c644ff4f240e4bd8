// Measures the page: `npm run bench --workspace @sandbox-agent/inspector`. Figures depend on the machine and its load.

import { writeFileSync } from "node:fs";
import type { CDPSession, Page } from "playwright-core";
import { test } from "vitest";
import { Harness } from "../tests/harness.ts";
import { longSession } from "../tests/recorded.ts";

test("measures the page", { timeout: 600_000 }, async () => {
  await using harness = await Harness.start();
  const long = await longSession(harness.client, 2_000);
  const figures: Record<string, string> = {};

  const cold = await harness.context();
  const first = await cold.newPage();
  await first.addInitScript(observe);
  await first.goto(`${harness.front.baseUrl}/ui/#token=${harness.daemon.token}`);
  await first.getByText("available").waitFor();
  const paint = await first.evaluate(() => (window as unknown as Watched).watched);
  figures["largest contentful paint"] = `${Math.round(paint.largest)} ms`;
  figures["layout shift"] = paint.shift.toFixed(4);
  await cold.close();

  const page = await harness.open();
  await page.getByText("available").waitFor();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  await devtools.send("Profiler.enable");
  await devtools.send("Profiler.setSamplingInterval", { interval: 500 });
  await devtools.send("Profiler.start");
  figures[`opening ${long.info.lastEventId} events`] = `${Math.round(await open(page, long.id))} ms`;
  const { profile: opening } = await devtools.send("Profiler.stop");
  await devtools.send("Profiler.start");
  const scrolled = await scroll(page);
  const { profile } = await devtools.send("Profiler.stop");
  figures["frames while scrolling"] = String(scrolled.frames);
  figures["longest task while scrolling"] = `${Math.round(scrolled.longest)} ms`;
  figures["script time per frame"] = `${(scrolled.script / scrolled.frames).toFixed(1)} ms`;
  figures["heap"] = `${Math.round((await heap(devtools)) / 1_048_576)} MiB`;
  const folder = process.env["PROFILES"];
  if (folder !== undefined) {
    writeFileSync(`${folder}/opening.cpuprofile`, JSON.stringify(opening));
    writeFileSync(`${folder}/scrolling.cpuprofile`, JSON.stringify(profile));
  }
  console.table(figures);
});

interface Watched {
  watched: { largest: number; shift: number };
}

function observe(): void {
  const watched = { largest: 0, shift: 0 };
  Object.assign(window, { watched });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) watched.largest = entry.startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) watched.shift += (entry as unknown as { value: number }).value;
  }).observe({ type: "layout-shift", buffered: true });
}

function open(page: Page, id: string): Promise<number> {
  return page.evaluate(async (hash) => {
    const from = performance.now();
    location.assign(hash);
    while (!document.querySelector("[role=log]")?.textContent?.includes("Answer 1999")) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return performance.now() - from;
  }, `#/sessions/${id}`);
}

/** Scrolls up through the history, a screen at a time. */
function scroll(page: Page): Promise<{ frames: number; longest: number; script: number }> {
  return page.evaluate(async () => {
    const log = document.querySelector("[role=log]");
    let longest = 0;
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) longest = Math.max(longest, entry.duration);
    });
    observer.observe({ type: "longtask" });
    const result = { frames: 0, longest: 0, script: 0 };
    for (; result.frames < 300; result.frames += 1) {
      const from = performance.now();
      log?.scrollBy(0, -600);
      await new Promise((resolve) => requestAnimationFrame(resolve));
      await new Promise((resolve) => setTimeout(resolve));
      result.script += performance.now() - from;
    }
    observer.disconnect();
    result.longest = longest;
    return result;
  });
}

async function heap(devtools: CDPSession): Promise<number> {
  await devtools.send("HeapProfiler.collectGarbage");
  const { metrics } = await devtools.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? 0;
}
