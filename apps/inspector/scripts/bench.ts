// Measures the page: `npm run bench --workspace @sandbox-agent/inspector`. Times of scrolling are CPU times of the page's
// main thread, which a busy machine does not change; the others are times on the clock.

import { writeFileSync } from "node:fs";
import { test } from "vitest";
import { Harness } from "../tests/harness.ts";
import {
  FRAMES,
  metricsOf,
  observePaint,
  openLong,
  scrollUp,
  tasksOf,
  type Watched,
} from "../tests/measure.ts";
import { longSession } from "../tests/recorded.ts";

test("measures the page", { timeout: 600_000 }, async () => {
  await using harness = await Harness.start();
  const long = await longSession(harness.client, 2_000);
  const figures: Record<string, string> = {};

  const cold = await harness.context();
  const first = await cold.newPage();
  await first.addInitScript(observePaint);
  await first.goto(`${harness.front.baseUrl}/ui/#token=${harness.daemon.token}`);
  await first.getByText("available").waitFor();
  const paint = await first.evaluate(() => (window as unknown as Watched).watched);
  figures["largest contentful paint"] = `${Math.round(paint.largest)} ms`;
  figures["layout shift"] = paint.shift.toFixed(4);
  await cold.close();

  const page = await harness.open();
  await page.getByText("available").waitFor();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  await devtools.send("Profiler.enable");
  await devtools.send("Profiler.setSamplingInterval", { interval: 500 });
  await devtools.send("Profiler.start");
  figures[`opening ${long.info.lastEventId} events`] = `${Math.round(await openLong(page, long.id))} ms`;
  const { profile: opening } = await devtools.send("Profiler.stop");
  await harness.browser.startTracing(page, {
    categories: ["toplevel", "disabled-by-default-devtools.timeline"],
  });
  const before = await metricsOf(devtools);
  await scrollUp(page);
  const after = await metricsOf(devtools);
  const tasks = tasksOf(await harness.browser.stopTracing());
  for (const name of ["TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration"]) {
    const seconds = (after.get(name) ?? 0) - (before.get(name) ?? 0);
    figures[`${name} per frame`] = `${((seconds * 1_000) / FRAMES).toFixed(1)} ms`;
  }
  figures["longest task while scrolling"] = `${(tasks[0] ?? 0).toFixed(1)} ms`;
  figures["tasks over 50 ms"] = `${tasks.filter((time) => time > 50).length} of ${tasks.length}`;
  await devtools.send("Profiler.start");
  await scrollUp(page);
  const { profile } = await devtools.send("Profiler.stop");
  await devtools.send("HeapProfiler.collectGarbage");
  const used = (await metricsOf(devtools)).get("JSHeapUsedSize") ?? 0;
  figures["heap"] = `${Math.round(used / 1_048_576)} MiB`;
  const folder = process.env["PROFILES"];
  if (folder !== undefined) {
    writeFileSync(`${folder}/opening.cpuprofile`, JSON.stringify(opening));
    writeFileSync(`${folder}/scrolling.cpuprofile`, JSON.stringify(profile));
  }
  console.table(figures);
});
