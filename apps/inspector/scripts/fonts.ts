// Fonts of the pictures. The page uses the system's fonts; the machine that takes the pictures may have none worth showing.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContext } from "playwright-core";

const require = createRequire(import.meta.url);
const FONTS = {
  Inter: require.resolve("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"),
  "JetBrains Mono": require.resolve(
    "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
  ),
};

/** Makes every page of a context use the fonts of the pictures. */
export async function addFonts(context: BrowserContext): Promise<void> {
  const fonts = Object.entries(FONTS).map(([family, file]) => ({
    family,
    data: readFileSync(file).toString("base64"),
  }));
  await context.addInitScript((all: typeof fonts) => {
    for (const { family, data } of all) {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      document.fonts.add(new FontFace(family, bytes.buffer, { weight: "100 900" }));
    }
    const apply = (): void => {
      const { style } = document.documentElement;
      style.setProperty("--font-ui", "Inter, sans-serif");
      style.setProperty("--font-code", '"JetBrains Mono", monospace');
    };
    if (document.documentElement === null) document.addEventListener("DOMContentLoaded", apply);
    else apply();
  }, fonts);
}
