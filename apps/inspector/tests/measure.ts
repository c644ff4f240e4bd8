// Measures the page in CPU time of its main thread, which does not depend on the machine's load.

import type { CDPSession, Page } from "playwright-core";

export interface Watched {
  watched: { largest: number; shift: number; moved: string[] };
}

interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
}

export function observePaint(): void {
  const watched: Watched["watched"] = { largest: 0, shift: 0, moved: [] };
  Object.assign(window, { watched });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) watched.largest = entry.startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries() as LayoutShift[]) {
      watched.shift += value;
      for (const { node, previousRect: from, currentRect: to } of sources) {
        const what = node instanceof Element ? node.outerHTML.slice(0, 120) : node?.textContent;
        watched.moved.push(`${what}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`);
      }
    }
  }).observe({ type: "layout-shift", buffered: true });
}

/** Opens a long session and returns when its last answer is shown, in milliseconds on the clock. */
export function openLong(page: Page, id: string): Promise<number> {
  return page.evaluate(async (hash) => {
    const from = performance.now();
    location.assign(hash);
    while (!document.querySelector("[role=log]")?.textContent?.includes("Answer 1999")) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return performance.now() - from;
  }, `#/sessions/${id}`);
}

/** Screens that are scrolled. */
export const FRAMES = 150;

/** Scrolls up through the history, a screen at a time. */
export function scrollUp(page: Page): Promise<void> {
  return page.evaluate(async (frames) => {
    const log = document.querySelector("[role=log]");
    for (let frame = 0; frame < frames; frame += 1) {
      log?.scrollBy(0, -600);
      await new Promise((resolve) => requestAnimationFrame(resolve));
      await new Promise((resolve) => setTimeout(resolve));
    }
  }, FRAMES);
}

export async function metricsOf(devtools: CDPSession): Promise<Map<string, number>> {
  const { metrics: list } = await devtools.send("Performance.getMetrics");
  return new Map(list.map(({ name, value }) => [name, value]));
}

export async function cpuSeconds(devtools: CDPSession): Promise<number> {
  return (await metricsOf(devtools)).get("TaskDuration") ?? 0;
}

/** Returns the CPU seconds of a fixed piece of work in the page. Limits are multiples of it, so that they hold on any machine. */
export async function unitOfWork(page: Page, devtools: CDPSession): Promise<number> {
  const times: number[] = [];
  while (times.length < 5) {
    const from = await cpuSeconds(devtools);
    await page.evaluate(() => {
      for (let round = 0; round < 20; round += 1) {
        const rows = Array.from({ length: 10_000 }, (_, index) => ({
          key: `row ${index}`,
          size: index % 97,
        }));
        const box = document.createElement("div");
        for (const { key } of rows.toSorted((a, b) => a.size - b.size).slice(0, 100)) {
          box.appendChild(document.createElement("p")).textContent = key;
        }
      }
    });
    times.push((await cpuSeconds(devtools)) - from);
  }
  return times.toSorted((a, b) => a - b)[2] ?? 0;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** CPU times of the tasks of renderers' main threads in milliseconds, the longest first. */
export function tasksOf(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(({ name, pid, tid }) => name.endsWith("RunTask") && main.has(`${pid} ${tid}`))
    .map(({ tdur }) => (tdur ?? 0) / 1_000)
    .sort((a, b) => b - a);
}
