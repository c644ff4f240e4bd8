// A real browser for tests: the system's Chromium, headless, with a profile of its own.

import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Path of the browser: `CHROMIUM`, or where Debian's package puts it. */
export function chromiumPath(): string {
  const path = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  if (!existsSync(path)) {
    throw new Error(
      `no browser at ${path}: install Debian's package chromium, or set CHROMIUM to the path of one`,
    );
  }
  return path;
}

/** Starts the browser. Close it, or dispose of it, to end it. */
export async function startChromium(): Promise<Browser> {
  return await chromium.launch({ executablePath: chromiumPath(), args: FLAGS, timeout: 60_000 });
}
