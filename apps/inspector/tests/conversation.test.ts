// From the first visit to an answer, and everything that an agent asks on the way.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Harness } from "./harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await Harness.start();
}, 120_000);
afterAll(() => harness?.[Symbol.asyncDispose]());
afterEach(() => expect(harness.complaints.splice(0)).toEqual([]));

test("a first visit leads to an answer, and the token leaves the address", async () => {
  const page = await harness.open();
  expect(page.url()).not.toContain(harness.daemon.token);
  await page.getByRole("button", { name: "New session" }).first().click();
  await page.getByRole("button", { name: "Start session" }).click();
  await page.getByLabel("Message", { exact: true }).fill("say Hello **world**");
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("Hello world").waitFor();
  await page.getByText("Done", { exact: true }).waitFor();
  await page.context().close();
});

test("an edit waits for permission; allowing it continues, and the change is listed", async () => {
  const session = await harness.session();
  await session.send("edit notes.txt\nsay after");
  const card = session.page.getByRole("group", { name: /Permission/ });
  await card.getByText("This line was added by the demo agent.").waitFor();
  await session.waitForState("requiresAction");
  await card.getByRole("button", { name: /Allow once/ }).click();
  await session.transcript.getByText("after", { exact: true }).waitFor();
  await session.transcript.getByText(/Allowed once/).waitFor();
  await session.page.getByRole("button", { name: "Changes" }).click();
  await session.page.getByText("1 changed file").waitFor();
  await session.page.context().close();
});

test("a rejection with a reason reaches the agent as its next message", async () => {
  const session = await harness.session();
  await session.send("permission Send it off");
  const card = session.page.getByRole("group", { name: /Permission/ });
  await card.getByRole("button", { name: /Reject/ }).click();
  await card.getByRole("textbox").fill("say not today");
  await card.getByRole("button", { name: /Reject/ }).click();
  await session.transcript.getByText(/^Rejected/).waitFor();
  await session.transcript.getByText("not today", { exact: true }).waitFor();
  await session.page.context().close();
});

test("always is shown with its rule before it is sent", async () => {
  const session = await harness.session();
  await session.send("permission Send it off\npermission Send it off\nsay done");
  const card = session.page.getByRole("group", { name: /Permission/ });
  await card.getByRole("button", { name: /Always…/ }).click();
  await card.getByText(/will not ask again/).waitFor();
  await card.getByRole("button", { name: "Always allow" }).click();
  await session.transcript.getByText("done", { exact: true }).waitFor();
  await session.page.context().close();
});

test("a form with every kind of field is validated and answered", async () => {
  const session = await harness.session();
  await session.send("question form");
  const form = session.page.getByRole("form", { name: "Question" });
  await form.getByLabel("Green").check();
  await form.getByLabel("Apple").check();
  await form.getByLabel("Cherry").check();
  await form.locator("input[type=number]").fill("1000");
  await form.getByRole("button", { name: /Answer/ }).click();
  await form.getByText(/At most 99/).waitFor();
  await form.locator("input[type=number]").fill("7");
  await form.getByRole("button", { name: /Answer/ }).click();
  await session.transcript.getByText(/^Answered/).waitFor();
  const info = (await harness.client.sessions.get(session.id)).info;
  expect(info.questions).toEqual([]);
  await session.page.context().close();
});

test("a plan is approved from its card", async () => {
  const session = await harness.session({ permissionMode: "plan" });
  await session.send("leave-plan\nsay building now");
  const card = session.page.getByRole("group", { name: "Plan", exact: true });
  await card.getByRole("button").first().click();
  await session.transcript.getByText("building now", { exact: true }).waitFor();
  await session.page.context().close();
});

test("messages queue while a turn runs, can be edited, and a stop ends the turn", async () => {
  const session = await harness.session();
  await session.send("hang");
  await session.waitForState("running");
  await session.send("say first");
  await session.send("say second");
  const queue = session.page.getByRole("region", { name: "Queue" });
  await queue.getByText("2 messages queued").waitFor();
  await session.input.press("ArrowUp");
  await expect.poll(() => session.input.inputValue()).toBe("say second");
  await queue.getByText("1 message queued").waitFor();
  await queue.getByRole("button", { name: "Send now" }).click();
  await session.transcript.getByText("first", { exact: true }).waitFor();
  await session.transcript.getByText("Cancelled", { exact: true }).waitFor();
  await session.input.fill("hang");
  await session.input.press("Enter");
  await session.waitForState("running");
  await session.page.getByRole("button", { name: /Stop/ }).click();
  await session.waitForState("idle");
  await session.page.context().close();
});

test("a fork has the history and its own address", async () => {
  const session = await harness.session();
  await session.send("say remember me");
  await session.page.getByText("Done", { exact: true }).waitFor();
  await session.page.getByRole("button", { name: "Fork from here" }).click();
  await expect.poll(() => session.page.url()).not.toContain(session.id);
  await session.transcript.getByText("remember me", { exact: true }).waitFor();
  await session.page.context().close();
});

test("a crash shows what the agent wrote last and starts it again", async () => {
  const session = await harness.session();
  await session.send("stderr something is wrong\ncrash 3");
  await session.transcript.getByText(/something is wrong\ndemo/).waitFor();
  await session.transcript.getByRole("button", { name: "Start the agent again" }).click();
  await session.waitForState("idle");
  await session.page.context().close();
});

test("the demo shows a failing test, a question, an edit and a passing test", {
  timeout: 180_000,
}, async () => {
  const page = await harness.open();
  page.setDefaultTimeout(60_000);
  await page.getByRole("button", { name: "Try the demo" }).click();
  await page.getByText("exit 1", { exact: true }).waitFor();
  await page.getByRole("form", { name: "Question" }).getByLabel("5 seconds").waitFor();
  await page.keyboard.press("2");
  const card = page.getByRole("group", { name: /Permission/ });
  await card.getByText("maxMs = 5_000").waitFor();
  await card.getByRole("button", { name: /Allow once/ }).click();
  await page
    .getByRole("log")
    .getByText(/nothing on your disk has changed/)
    .waitFor();
  expect(await page.getByText("exit 1", { exact: true }).count()).toBe(1);
  await page.context().close();
});
