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

test("always shows its rule, whose scope can be edited, and the daemon keeps it", async () => {
  const session = await harness.session();
  await session.send("run npm test -- retry\nrun npm test -- other\nrun git push\nsay done");
  const card = session.page.getByRole("group", { name: /Permission/ });
  await card.getByText("npm test -- retry").waitFor();
  await card.getByRole("button", { name: /Always…/ }).click();
  const rule = card.getByRole("form", { name: "Rule" });
  expect(await rule.getByLabel("Matches").inputValue()).toBe("npm test -- retry");
  // A rule that does not match the request is refused, and the card stays.
  await rule.getByLabel("Matches").fill("cargo *");
  expect(await rule.getByLabel("Scope").locator("option:checked").textContent()).toBe("Custom");
  await rule.getByRole("button", { name: "Always allow", exact: true }).click();
  await session.page.getByText(/does not match this request/).waitFor();
  await rule.getByLabel("Scope").selectOption({ label: "Commands that start with npm test" });
  expect(await rule.getByLabel("Matches").inputValue()).toBe("npm test *");
  await rule.getByRole("button", { name: "Always allow", exact: true }).click();
  await session.transcript.getByText(/^Always allowed \(execute · npm test \*\) by you/).waitFor();
  await session.transcript.getByText(/^Allowed once by a rule: Run npm test -- other/).waitFor();
  await card.getByText("git push").waitFor();
  await card.getByRole("button", { name: /Allow once/ }).click();
  await session.transcript.getByText("done", { exact: true }).waitFor();
  await session.page.context().close();
});

test("the agent's own rule is offered, too", async () => {
  const session = await harness.session();
  await session.send("permission Send it off\npermission Send it off\nsay done");
  const card = session.page.getByRole("group", { name: /Permission/ });
  await card.getByRole("button", { name: /Always…/ }).click();
  await card.getByRole("button", { name: "Agent's own rule" }).click();
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
  await session.queue("say first", "say second");
  const queue = session.page.getByRole("region", { name: "Queue" });
  await session.input.press("ArrowUp");
  await expect.poll(() => session.input.inputValue()).toBe("say second");
  await queue.getByText("1 message queued").waitFor();
  await queue.getByRole("button", { name: "Send now" }).click();
  await session.transcript.getByText("first", { exact: true }).waitFor();
  await session.transcript.getByText("Cancelled", { exact: true }).waitFor();
  await session.waitForState("idle");
  await session.input.fill("hang");
  await session.input.press("Enter");
  await session.waitForState("running");
  await session.page.getByRole("button", { name: /Stop/ }).click();
  await session.waitForState("idle");
  await session.page.context().close();
});

test("a queued message that is sent now survives a page that ends in between", async () => {
  const session = await harness.session();
  await session.send("hang");
  await session.waitForState("running");
  await session.queue("say first");
  const queue = session.page.getByRole("region", { name: "Queue" });
  await session.page.route("**/messages", (route) =>
    route.request().method() === "POST" ? undefined : route.continue(),
  );
  const sending = session.page.waitForRequest((request) => request.method() === "POST");
  await queue.getByRole("button", { name: "Send now" }).click();
  await sending;
  await session.page.reload();
  await expect.poll(() => session.input.inputValue()).toBe("say first");
  await session.page.reload();
  await expect.poll(() => session.input.inputValue()).toBe("");
  await session.page.context().close();
});

test("queued messages are reordered by keys and by dragging, for every reader", async () => {
  const session = await harness.session();
  const second = await harness.open(`#/sessions/${session.id}`);
  await session.send("hang");
  await session.waitForState("running");
  await session.queue("say one", "say two", "say three");
  const queue = session.page.getByRole("region", { name: "Queue" });
  const shown = async (page = session.page): Promise<string[]> => {
    const entries = await page
      .getByRole("region", { name: "Queue" })
      .locator("li > .truncate")
      .allTextContents();
    return entries.map((text) => text.replace("say ", ""));
  };
  const last = queue.getByRole("button", { name: /^Message 3 of 3/ });
  await last.focus();
  await session.page.keyboard.press("ArrowUp");
  await expect.poll(() => shown()).toEqual(["one", "three", "two"]);
  await session.page.keyboard.press("ArrowUp");
  await expect.poll(() => shown()).toEqual(["three", "one", "two"]);
  await expect.poll(() => shown(second)).toEqual(["three", "one", "two"]);
  const items = queue.getByRole("listitem");
  await items.nth(2).dragTo(items.nth(0));
  await expect.poll(() => shown()).toEqual(["two", "three", "one"]);
  await session.page.reload();
  await expect.poll(() => shown()).toEqual(["two", "three", "one"]);
  await queue.getByRole("button", { name: "Send now" }).first().click();
  const said = async (): Promise<string[]> => {
    const texts = await session.transcript.locator(".markdown").allTextContents();
    return texts.map((text) => text.trim());
  };
  await expect.poll(said).toEqual(["two", "three", "one"]);
  await session.waitForState("idle");
  await session.page.context().close();
  await second.context().close();
});

test("a queued message that begins before it is edited is not put back, and the page says why", async () => {
  const session = await harness.session();
  await session.send("hang");
  await session.waitForState("running");
  await session.queue("say one");
  const type = "urn:sandbox-agent:error:conflict";
  const problem = { type, title: "Conflict", status: 409, detail: "the message has begun" };
  await session.page.route("**/messages/*", (route) =>
    route.request().method() === "DELETE"
      ? route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify(problem) })
      : route.continue(),
  );
  const alert = session.page.getByRole("alert").getByText(/has begun/);
  const edits = [
    () => session.page.getByRole("button", { name: "Edit queued message" }).click(),
    () => session.input.press("ArrowUp"),
  ];
  for (const edit of edits) {
    const refused = session.page.waitForResponse((response) => response.status() === 409);
    await edit();
    await refused;
    await alert.waitFor();
  }
  expect(await session.input.inputValue()).toBe("");
  await session.page.context().close();
});

test("a failed move of a queued message is shown, and no message is lost", async () => {
  const session = await harness.session();
  await session.send("hang");
  await session.waitForState("running");
  await session.queue("say one", "say two");
  const queue = session.page.getByRole("region", { name: "Queue" });
  await session.page.route("**/queue", (route) => route.abort());
  await queue.getByRole("button", { name: /^Message 2 of 2/ }).press("ArrowUp");
  await session.page
    .getByRole("alert")
    .getByText(/cannot be reached/)
    .waitFor();
  expect(await queue.getByRole("listitem").first().textContent()).toContain("say one");
  const { queue: waiting } = (await harness.client.sessions.get(session.id)).info;
  expect(waiting).toHaveLength(2);
  await session.page.context().close();
});

test("a fork has the history and its own address; from an earlier turn it lacks what came later", async () => {
  const session = await harness.session();
  await session.send("say remember me");
  await session.page.getByText("Done", { exact: true }).waitFor();
  await session.send("say too late");
  await expect.poll(() => session.page.getByRole("button", { name: "Fork from here" }).count()).toBe(2);
  await session.page.getByRole("button", { name: "Fork from here" }).last().click();
  await expect.poll(() => session.page.url()).not.toContain(session.id);
  await session.transcript.getByText("too late", { exact: true }).waitFor();
  await session.page.goBack();
  await expect.poll(() => session.page.url()).toContain(session.id);
  await session.transcript.getByText("too late", { exact: true }).waitFor();
  await session.page.getByRole("button", { name: "Fork from here" }).first().click();
  await expect.poll(() => session.page.url()).not.toContain(session.id);
  await session.transcript.getByText("remember me", { exact: true }).waitFor();
  await session.transcript.getByText(/given the conversation as text/).waitFor();
  expect(await session.transcript.getByText("too late", { exact: true }).count()).toBe(0);
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
  const form = page.getByRole("form", { name: "Question" });
  await form.getByLabel("5 seconds").waitFor();
  await expect.poll(() => form.evaluate((element) => element.contains(document.activeElement))).toBe(true);
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
