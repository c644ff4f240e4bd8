// Takes the pictures of docs/images: `npm run screenshots --workspace @sandbox-agent/inspector`.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { test } from "vitest";
import { Harness } from "../tests/harness.ts";
import { addFonts } from "./fonts.ts";
import { PROJECT, setScene, writeProject } from "./scene.ts";

const target = process.env["SCREENSHOTS"] ?? fileURLToPath(new URL("../../../docs/images/", import.meta.url));
mkdirSync(target, { recursive: true });
interface Shot {
  readonly hash: string;
  readonly ready: (page: Page) => Promise<void>;
}

test("takes the pictures", { timeout: 900_000 }, async () => {
  writeProject();
  await using harness = await Harness.start({ flags: ["--workspace", PROJECT] });
  const { client } = harness;
  const { project, done, permission, question, plan } = await setScene(client);
  await client.processes.create({ command: "tail", args: ["-f", "README.md"], cwd: project });

  const shots: Record<string, Shot> = {
    home: { hash: "#/", ready: (page) => page.getByText("available").waitFor() },
    session: {
      hash: `#/sessions/${done.id}?panel=changes`,
      ready: async (page) => {
        await page.getByText("1 changed file").waitFor();
        await show(page, "Edit");
      },
    },
    transcript: {
      hash: `#/sessions/${done.id}`,
      ready: (page) => page.getByText("no caller has to change").waitFor(),
    },
    permission: {
      hash: `#/sessions/${permission.id}`,
      ready: (page) => page.getByRole("group", { name: /Permission/ }).waitFor(),
    },
    rule: {
      hash: `#/sessions/${permission.id}`,
      ready: async (page) => {
        await page.getByRole("button", { name: /^Always/ }).click();
        await page.getByRole("form", { name: "Rule" }).scrollIntoViewIfNeeded();
      },
    },
    question: { hash: `#/sessions/${question.id}`, ready: (page) => page.getByRole("form").waitFor() },
    plan: {
      hash: `#/sessions/${plan.id}`,
      ready: (page) => page.getByRole("group", { name: "Plan" }).waitFor(),
    },
    events: {
      hash: `#/sessions/${done.id}?panel=events`,
      ready: (page) => page.getByText("turnEnded").first().waitFor(),
    },
    acp: {
      hash: `#/sessions/${done.id}?panel=events`,
      ready: async (page) => {
        await page.getByRole("button", { name: "Raw ACP" }).click();
        await page.getByRole("region", { name: "Raw ACP" }).getByRole("button").first().waitFor();
      },
    },
    files: {
      hash: `#/files?path=${encodeURIComponent(`${project}/src/retry.ts`)}`,
      ready: (page) => page.getByLabel("Content of retry.ts").waitFor(),
    },
    terminal: {
      hash: `#/sessions/${done.id}?panel=terminal`,
      ready: async (page) => {
        const open = page.getByRole("button", { name: "Open a terminal" });
        await open.or(page.locator(".xterm-screen")).first().waitFor();
        if (await open.isVisible()) {
          await open.click();
          await page.locator(".xterm-screen").waitFor();
          const rows = page.locator(".xterm-rows");
          await page.keyboard.type("PS1='$ '; clear\n");
          await page.keyboard.type("ls -l\n");
          await rows.getByText("tsconfig.json").waitFor();
          await page.keyboard.type("grep -n delayOf src/*.ts\n");
        }
        await page.locator(".xterm-rows", { hasText: "withRetry" }).waitFor();
      },
    },
    processes: { hash: "#/terminals", ready: (page) => page.getByText("tail -f").waitFor() },
    new: {
      hash: "#/",
      ready: async (page) => {
        await page.getByRole("button", { name: "New session", exact: false }).first().click();
        await page.getByRole("dialog").waitFor();
      },
    },
    palette: {
      hash: "#/",
      ready: async (page) => {
        await page.getByText("available").waitFor();
        await page.keyboard.press("Control+k");
        await page.keyboard.type("retr");
        await page.getByRole("option").first().waitFor();
      },
    },
    settings: { hash: "#/settings", ready: (page) => page.getByText("Processes at once").waitFor() },
  };

  const looks = {
    light: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
    dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
    phone: { viewport: { width: 375, height: 740 }, colorScheme: "light", deviceScaleFactor: 2 },
  } as const;

  const only = (process.env["ONLY"] ?? "").split(",").filter((name) => name !== "");
  for (const [look, options] of Object.entries(looks)) {
    const context = await harness.context(options);
    context.setDefaultTimeout(60_000);
    await addFonts(context);
    const page = await context.newPage();
    await page.goto(`${harness.front.baseUrl}/ui/#token=${harness.daemon.token}`);
    await page.getByRole("navigation").waitFor();
    for (const [name, { hash, ready }] of Object.entries(shots)) {
      if (only.length > 0 && !only.includes(name)) continue;
      await page.evaluate((next) => location.assign(next), hash);
      await ready(page);
      await page.waitForTimeout(400);
      writeFileSync(join(target, `inspector-${name}-${look}.png`), await page.screenshot());
      if (name === "palette" || name === "new") await page.keyboard.press("Escape");
    }
    await context.close();
    const stranger = await harness.context(options);
    await addFonts(stranger);
    const connect = await stranger.newPage();
    await connect.goto(`${harness.front.baseUrl}/ui/`);
    await connect.getByLabel("Token").waitFor();
    writeFileSync(join(target, `inspector-connect-${look}.png`), await connect.screenshot());
    await stranger.close();
  }
});

/** Scrolls the transcript to a row that begins with a word. */
async function show(page: Page, verb: string): Promise<void> {
  if (!(await page.getByRole("log").isVisible())) return;
  const row = page.getByRole("log").getByRole("button", { name: new RegExp(`^${verb}`) });
  await page.getByRole("log").evaluate((log) => log.scrollBy(0, -400));
  await row.first().scrollIntoViewIfNeeded();
}
