// Accessibility: keys alone, small screens, dark colors, names for assistive technology.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Harness } from "./harness.ts";
import { importSession } from "./recorded.ts";
import { story } from "./story.ts";

let harness: Harness;
let told: string;

beforeAll(async () => {
  harness = await Harness.start();
  told = (await importSession(harness.client, "Fix the failing retry test", story(harness.daemon.home))).id;
}, 120_000);
afterAll(() => harness?.[Symbol.asyncDispose]());
afterEach(() => expect(harness.complaints.splice(0)).toEqual([]));

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: {
        run: () => Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
      };
    };
    const { violations: found } = await axe.run();
    const bad = found.filter(({ impact }) => impact === "serious" || impact === "critical");
    return bad.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  });
}

test.each(["light", "dark"] as const)(
  "axe finds nothing serious in %s",
  { timeout: 180_000 },
  async (colorScheme) => {
    const page = await harness.open("", { colorScheme });
    await page.getByText("available").waitFor();
    const check = async (what: string): Promise<void> => expect(await violations(page), what).toEqual([]);
    const go = (hash: string): Promise<void> => page.evaluate((next) => location.assign(next), hash);
    await check("home");
    await page.getByRole("button", { name: "New session" }).first().click();
    await page.getByRole("button", { name: /Model, mode/ }).click();
    await check("new session");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await check("shortcuts");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("option").first().waitFor();
    await check("palette");
    await page.keyboard.press("Escape");
    for (const [hash, shown] of [
      [`#/sessions/${told}?panel=changes`, "1 changed file"],
      [`#/sessions/${told}?panel=events`, "turnEnded"],
      ["#/files", "Choose a file"],
      ["#/terminals", "Open a terminal"],
      ["#/settings", "Processes at once"],
    ] as const) {
      await go(hash);
      await page.getByText(shown).first().waitFor();
      await check(hash);
    }
    for (const [script, mode, role] of [
      ["edit notes.txt", "default", "group"],
      ["question form", "default", "form"],
      ["leave-plan", "plan", "group"],
    ] as const) {
      const session = await harness.session({ permissionMode: mode }, page);
      await session.send(script);
      await session.transcript.getByRole(role).first().waitFor();
      await check(script);
    }
    await page.getByRole("button", { name: "Session actions" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).waitFor();
    await check("menu");
    await page.context().close();
    const connect = await (await harness.context({ colorScheme })).newPage();
    await connect.goto(`${harness.front.baseUrl}/ui/#token=wrong`);
    await connect.getByText(/Copy the token/).waitFor();
    expect(await violations(connect), "connect").toEqual([]);
    await connect.context().close();
  },
);

test("what has the focus from the keyboard is outlined, and motion can be off", {
  timeout: 60_000,
}, async () => {
  const page = await harness.open("", { reducedMotion: "reduce" });
  await page.getByText("available").waitFor();
  const places = new Set<string>();
  for (let step = 0; step < 12; step += 1) {
    await page.keyboard.press("Tab");
    const { name, outline } = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement;
      const style = getComputedStyle(element);
      const name = element.getAttribute("aria-label") ?? element.textContent ?? "";
      return { name, outline: `${style.outlineStyle} ${style.outlineWidth}` };
    });
    places.add(name);
    expect(outline, name).toBe("solid 2px");
  }
  expect(places.size).toBeGreaterThan(8);
  const running = await harness.session({}, page);
  await running.send("hang");
  await page.locator(".spinner").first().waitFor();
  const slow = await page.evaluate(() =>
    document.getAnimations().filter(({ effect }) => Number(effect?.getComputedTiming().duration) > 1),
  );
  expect(slow).toEqual([]);
  await page.context().close();
});

test("at 375 px nothing is wider than the screen, and a turn can be taken", { timeout: 90_000 }, async () => {
  const page = await harness.open("", { viewport: { width: 375, height: 740 } });
  for (const [hash, shown] of [
    ["#/", "available"],
    [`#/sessions/${told}`, "Fix the failing retry test"],
    [`#/sessions/${told}?panel=changes`, "1 changed file"],
    ["#/files", "In text"],
    ["#/terminals", "Open a terminal"],
    ["#/settings", "Processes at once"],
  ] as const) {
    await page.evaluate((next) => location.assign(next), hash);
    await page.getByText(shown).filter({ visible: true }).first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth), hash).toBeLessThanOrEqual(375);
  }
  const session = await harness.session({}, page);
  await session.send("permission Send it off\nsay sent");
  await page.getByRole("button", { name: /Allow once/ }).click();
  await session.transcript.getByText("sent", { exact: true }).waitFor();
  await page.context().close();
});

test("the keyboard alone starts a session, allows an edit and opens a panel", {
  timeout: 90_000,
}, async () => {
  const page = await harness.open();
  await page.getByText("available").waitFor();
  await page.keyboard.press("c");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Enter");
  await page.getByLabel("Message", { exact: true }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("edit keys.txt");
  await page.keyboard.press("Enter");
  const card = page.getByRole("group", { name: /Permission/ });
  await card.waitFor();
  await page.keyboard.press("Control+j");
  await expect.poll(() => card.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  await page.getByText("Done", { exact: true }).waitFor();
  await page.keyboard.press("Control+\\");
  await page.getByText("1 changed file").waitFor();
  // The buttons of a card are also reached by going back from the message.
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("permission Send it off");
  await page.keyboard.press("Enter");
  await card.waitFor();
  const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? "");
  for (let back = 0; back < 8 && !(await focused()).startsWith("Reject"); back += 1) {
    await page.keyboard.press("Shift+Tab");
  }
  await page.keyboard.press("Enter");
  await page.keyboard.type("say not now");
  await page.keyboard.press("Enter");
  await page.getByText(/^Rejected by you/).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search sessions and commands" }).waitFor();
  await page.keyboard.type("settings");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  // The second key has to follow within a moment.
  await expect
    .poll(async () => {
      await page.keyboard.press("g");
      await page.keyboard.press("h");
      return page.url();
    })
    .toMatch(/#\/$/);
  await page.getByText("available").waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await page.context().close();
});

test("a chosen theme stays after a reload", { timeout: 60_000 }, async () => {
  const page = await harness.open("#/settings", { colorScheme: "light" });
  await page.getByRole("button", { name: "Dark" }).click();
  await page.goto(`${harness.front.baseUrl}/ui/#/`);
  await page.reload();
  await page.getByText("available").waitFor();
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(18, 19, 22)");
  await page.context().close();
});
