// Takes the pictures of docs/images: `npm run screenshots --workspace @sandbox-agent/inspector`.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { test } from "vitest";
import { Harness } from "../tests/harness.ts";
import { importSession } from "../tests/recorded.ts";
import { story } from "../tests/story.ts";

const target = process.env["SCREENSHOTS"] ?? fileURLToPath(new URL("../../../docs/images/", import.meta.url));
mkdirSync(target, { recursive: true });
test("takes the pictures", { timeout: 300_000 }, async () => {
  await using harness = await Harness.start();
  const { client, daemon } = harness;

  await client.fs.write(
    "src/retry.ts",
    "export function delayOf(attempt: number): number {\n  return 100 * 2 ** attempt;\n}\n",
  );
  await client.fs.write("README.md", "# retry\n\nRuns a function again until it succeeds.\n");
  await client.fs.write("package.json", '{\n  "name": "retry",\n  "type": "module"\n}\n');
  const done = await importSession(client, "Fix the failing retry test", story(daemon.home));
  const asking = await client.sessions.create({ agent: "demo", title: "Raise the upload limit to 50 MB" });
  asking.send(
    "think The limit is in one place.\nsay The limit is a constant. I will raise it and say so in the notes.\nedit notes.txt",
  );
  const question = await client.sessions.create({ agent: "demo", title: "Choose a color for the chart" });
  question.send("question form");
  const planning = await client.sessions.create({
    agent: "demo",
    title: "Plan the migration",
    permissionMode: "plan",
  });
  planning.send("leave-plan");
  const running = await client.sessions.create({
    agent: "demo",
    title: "Port the parser to streams",
    permissionMode: "bypass",
  });
  running.send("plan every 20000\nhang");
  await client.processes.create({ command: "sh", args: ["-c", "echo listening on 5173; sleep 600"] });
  for (const id of [asking.id, question.id, planning.id]) {
    while ((await client.sessions.get(id)).info.state !== "requiresAction")
      await new Promise((resolve) => setTimeout(resolve, 100));
  }

  const shots: Record<string, { hash: string; ready: (page: Page) => Promise<void> }> = {
    home: { hash: "#/", ready: (page) => page.getByText("available").waitFor() },
    session: {
      hash: `#/sessions/${done.id}?panel=changes`,
      ready: (page) => page.getByText("1 changed file").waitFor(),
    },
    transcript: {
      hash: `#/sessions/${done.id}`,
      ready: (page) => page.getByText("Two things to know").waitFor(),
    },
    permission: {
      hash: `#/sessions/${asking.id}`,
      ready: (page) => page.getByRole("group", { name: /Permission/ }).waitFor(),
    },
    question: { hash: `#/sessions/${question.id}`, ready: (page) => page.getByRole("form").waitFor() },
    plan: {
      hash: `#/sessions/${planning.id}`,
      ready: (page) => page.getByRole("group", { name: "Plan" }).waitFor(),
    },
    events: {
      hash: `#/sessions/${done.id}?panel=events`,
      ready: (page) => page.getByText("turnEnded").waitFor(),
    },
    files: {
      hash: `#/files?path=${encodeURIComponent(`${daemon.home}/src/retry.ts`)}`,
      ready: (page) => page.getByLabel("Content of retry.ts").waitFor(),
    },
    terminal: {
      hash: "#/terminals",
      ready: async (page) => {
        const open = page.getByRole("button", { name: "Open a terminal" });
        await page.getByRole("heading", { name: "Processes" }).waitFor();
        if (await open.isVisible()) await open.click();
        await page.locator(".xterm-screen").waitFor();
        await page.keyboard.type("ls -la\n");
        await page.waitForTimeout(800);
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
    const page = await harness.open("", options);
    for (const [name, { hash, ready }] of Object.entries(shots)) {
      if (only.length > 0 && !only.includes(name)) continue;
      await page.evaluate((next) => location.assign(next), hash);
      await ready(page);
      await page.waitForTimeout(400);
      writeFileSync(join(target, `inspector-${name}-${look}.png`), await page.screenshot());
    }
    await page.context().close();
  }
  const connect = await (await harness.context({ viewport: { width: 1280, height: 800 } })).newPage();
  await connect.goto(`${harness.front.baseUrl}/ui/`);
  await connect.getByLabel("Token").waitFor();
  writeFileSync(join(target, "inspector-connect-light.png"), await connect.screenshot());
});
