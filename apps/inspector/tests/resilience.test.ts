// Nothing is lost: reloads, restarts of the daemon, broken connections, wrong tokens, two readers at once.

import { afterEach, expect, test } from "vitest";
import { Harness } from "./harness.ts";

let harness: Harness;
afterEach(async () => {
  const complaints = harness.complaints.splice(0);
  await harness[Symbol.asyncDispose]();
  expect(complaints).toEqual([]);
});

const start = async (): Promise<void> => {
  harness = await Harness.start();
};

test("a reload in the middle of a turn shows the same and follows on", { timeout: 90_000 }, async () => {
  await start();
  const session = await harness.session();
  await session.send("say before\nstream 40 8 every 100\nsay after");
  await session.transcript.getByText("before", { exact: true }).waitFor();
  await session.page.reload();
  await session.transcript.getByText("before", { exact: true }).waitFor();
  await session.transcript.getByText("after", { exact: true }).waitFor();
  expect(await session.transcript.getByText("before", { exact: true }).count()).toBe(1);
});

test("a daemon that is killed and comes back continues where it was", { timeout: 120_000 }, async () => {
  await start();
  const session = await harness.session();
  await session.send("say before the crash\nhang");
  await session.transcript.getByText("before the crash", { exact: true }).waitFor();
  await session.send("say held");
  await session.page.getByText("1 message queued").waitFor();
  await harness.daemon.kill();
  await session.page
    .getByText(/Connection lost|cannot be reached/)
    .first()
    .waitFor();
  expect(await session.transcript.getByText("before the crash", { exact: true }).count()).toBe(1);
  await harness.daemon.start();
  await session.transcript.getByText(/the daemon was restarted/).waitFor({ timeout: 30_000 });
  await session.page.getByText("1 message held since the daemon was restarted").waitFor();
  await session.page.getByRole("button", { name: "Continue" }).click();
  await session.transcript.getByText("held", { exact: true }).waitFor({ timeout: 30_000 });
  await session.waitForState("idle");
});

test("going offline is shown, and coming back needs no reload", { timeout: 90_000 }, async () => {
  await start();
  const session = await harness.session();
  await session.page.context().setOffline(true);
  await session.page.getByText(/cannot be reached/).waitFor({ timeout: 30_000 });
  await session.input.fill("say kept");
  await session.input.press("Enter");
  await session.page.context().setOffline(false);
  await expect.poll(() => session.page.getByText(/cannot be reached/).count(), { timeout: 30_000 }).toBe(0);
  if ((await session.input.inputValue()) !== "") await session.input.press("Enter");
  await session.transcript.getByText("kept", { exact: true }).waitFor({ timeout: 30_000 });
});

test("a wrong token says what to do, and the right one connects", { timeout: 90_000 }, async () => {
  await start();
  const context = await harness.context();
  const page = await context.newPage();
  await page.goto(`${harness.front.baseUrl}/ui/#token=wrong`);
  // Home may ask for something before the first refusal leads back to the connect screen.
  await page.getByLabel("Token").waitFor();
  await page.getByRole("alert").getByText("Token Invalid").waitFor();
  await page.getByText(/Copy the token that the daemon printed/).waitFor();
  await page.getByLabel("Token").fill(harness.daemon.token);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("navigation").waitFor();
  await page.reload();
  await page.getByRole("navigation").waitFor();
});

test("two readers see one session; what one answers, the other sees", { timeout: 90_000 }, async () => {
  await start();
  const first = await harness.session();
  const second = await harness.open(`#/sessions/${first.id}`);
  await first.send("permission Send it off\nsay sent");
  const card = second.getByRole("group", { name: /Permission/ });
  await card.getByRole("button", { name: /Allow once/ }).click();
  for (const page of [first.page, second])
    await page.getByRole("log").getByText("sent", { exact: true }).waitFor();
  await second.getByText(/^Allowed once by you: Send it off/).waitFor();
  const elsewhere = first.page.getByText(/^Allowed once by Inspector, Chrome on Linux: Send it off/);
  await elsewhere.waitFor();
  const time = first.page.locator(".card-done", { has: elsewhere }).locator("time");
  expect(Date.parse((await time.getAttribute("datetime")) ?? "")).toBeGreaterThan(Date.now() - 60_000);
  expect(await time.getAttribute("title")).not.toBe("");
  // A client that gives no name is another client.
  await first.send("question single\nsay thanks");
  await first.page.getByRole("form", { name: "Question" }).waitFor();
  const session = await harness.client.sessions.get(first.id);
  const [question] = session.info.questions;
  await session.replyQuestion(question?.id ?? "", [["Green"]]);
  await first.page.getByText(/^Answered by another client/).waitFor();
});

test("a daemon without a token needs no connect screen", { timeout: 90_000 }, async () => {
  harness = await Harness.start({ flags: ["--no-token"], env: { SANDBOX_AGENT_TOKEN: "" } });
  const page = await (await harness.context()).newPage();
  await page.goto(`${harness.front.baseUrl}/ui/`);
  await page.getByRole("navigation").waitFor();
});
