// The example in a browser, with the demo agent.

import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { startChromium } from "@sandbox-agent/testkit/chromium";
import { SandboxAgent, type Turn } from "sandbox-agent";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type App, startApp } from "./app.ts";

let daemon: Daemon;
let app: App;

beforeAll(async () => {
  daemon = await startDaemon();
  app = await startApp(daemon);
  // Next.js compiles each page and route at its first request, which takes long on a busy machine.
  for (const path of ["", "/api/chat", "/api/chat/none/stream"]) await (await fetch(app.url + path)).text();
}, 290_000);
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  await daemon?.stop();
}, 60_000);

test("an answer, an approval, and a reload in the middle of an answer", { timeout: 180_000 }, async () => {
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    const response = await page.goto(app.url);
    expect(response?.status(), app.output()).toBe(200);
    const send = async (text: string): Promise<void> => {
      await page.getByLabel("Message").fill(text);
      await page.getByRole("button", { name: "Send" }).click();
    };
    // The page answers to clicks only after React has taken over.
    await page.waitForLoadState("networkidle");
    await send("say Hello\npermission Send it off\nsay bye");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("bye", { exact: true }).waitFor();
    await send("say again\nstream 50 10 every 20\nsay the end");
    await page.getByText("again", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("the end", { exact: true }).waitFor();
    expect(await page.getByText("Hello", { exact: true }).count()).toBe(1);
    expect(await page.getByText("again", { exact: true }).count()).toBe(1);
    expect(await page.locator("[data-role=assistant]").count()).toBe(2);
  } finally {
    await browser.close();
  }
});

test("an answer that ends while the page is loaded again", { timeout: 180_000 }, async () => {
  const id = crypto.randomUUID();
  const client = SandboxAgent.open(daemon.connection);
  const session = await client.sessions.create({ id, agent: "demo" });
  const turn = session.send("say first\npermission Send it off\nsay the end");
  const permission = await firstPermission(turn);
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    // The messages are loaded when the page asks for the rest: only then does the answer end.
    await page.route("**/stream*", async (route) => {
      await session.replyPermission(permission, { reply: "once" });
      await turn.done;
      await route.continue();
    });
    await page.goto(`${app.url}/${id}`);
    await page.getByText("the end", { exact: true }).waitFor();
    expect(await page.locator("[data-role]").count()).toBe(2);
  } finally {
    await browser.close();
  }
});

async function firstPermission(turn: Turn): Promise<string> {
  for await (const event of turn) {
    if (event.type === "permissionAsked") return event.data.permissionAsked.id;
  }
  throw new Error("the turn ended without a request");
}
