// The first moments of the page: what it loads, what it shows before it knows the token, what its policy allows.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Harness } from "./harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
}, 120_000);
afterAll(() => harness?.[Symbol.asyncDispose]());
afterEach(() => expect(harness.complaints.splice(0)).toEqual([]));

test("a wrong token never shows anything of the daemon", { timeout: 60_000 }, async () => {
  const page = await (await harness.context()).newPage();
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      for (const name of ["nav", ".home", ".session"]) if (document.querySelector(name)) seen.push(name);
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(`${harness.front.baseUrl}/ui/#token=wrong`);
  await page.getByText(/Copy the token that the daemon printed/).waitFor();
  expect(await page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual([]);
  await page.context().close();
});

test("what is typed right after opening the palette is not lost", { timeout: 60_000 }, async () => {
  const page = await harness.open();
  await page.getByText("available").waitFor();
  // All keys in one task, as a fast typist on a busy machine has them.
  const value = await page.evaluate(() => {
    const press = (key: string, ctrlKey = false): void => {
      const target = document.activeElement ?? document.body;
      const event = new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true, cancelable: true });
      if (target.dispatchEvent(event) && target instanceof HTMLInputElement)
        document.execCommand("insertText", false, key);
    };
    press("k", true);
    for (const key of "dark") press(key);
    return (document.activeElement as HTMLInputElement).value;
  });
  expect(value).toBe("dark");
  await page.getByRole("option", { name: /Use the dark theme/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.context().close();
});

test("the policy allows no inline style, and a terminal has its colors nevertheless", {
  timeout: 60_000,
}, async () => {
  const page = await harness.open("#/terminals");
  const policy = (await fetch(`${harness.front.baseUrl}/ui/`)).headers.get("Content-Security-Policy") ?? "";
  expect(policy).not.toContain("unsafe");
  await page.getByRole("button", { name: "Open a terminal" }).click();
  await page.locator(".xterm-screen").waitFor();
  await page.keyboard.type("printf '\\033[38;2;10;200;30mgreen\\033[0m \\033[31mred\\033[0m\\n'\n");
  const colorOf = (text: string): Promise<string> =>
    page
      .locator(".xterm-rows span", { hasText: new RegExp(`^${text}$`) })
      .first()
      .evaluate((element) => getComputedStyle(element).color);
  expect(await colorOf("green")).toBe("rgb(10, 200, 30)");
  expect(await colorOf("red")).toBe("rgb(192, 43, 52)");
  expect(await page.locator("style").count()).toBe(0);
  await page.context().close();
});
