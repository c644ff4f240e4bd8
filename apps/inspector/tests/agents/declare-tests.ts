// The page with a real agent behind it: the vendor's CLI, driven by the scripted model.

import { execFileSync } from "node:child_process";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  hang,
  leavePlan,
  question,
  say,
  sayResult,
  saySettings,
  write,
} from "../../../../packages/sandbox-agent/tests/features/script.ts";
import { Stage } from "../../../../packages/sandbox-agent/tests/features/stage.ts";
import { Harness, SessionPage } from "../harness.ts";

/** Time for the first run, which downloads the agent. */
const INSTALL_MS = 600_000;

/** Time for a test. Real agents take long to start on a busy machine. */
const TEST_MS = 300_000;

/** Time for one step of an agent. */
const STEP_MS = 60_000;

export function declareTests(agent: "claude" | "codex" | "opencode"): void {
  let stage: Stage;
  let harness: Harness;
  beforeAll(async () => {
    stage = await Stage.set(agent);
    harness = await Harness.before(stage.daemon);
  }, INSTALL_MS);
  beforeEach(() => stage.startOver());
  afterEach(() => expect(harness.complaints.splice(0)).toEqual([]));
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]();
    await stage?.stop();
  });

  /** Starts a session in the dialog of Home. */
  const start = async (permissions = "default"): Promise<SessionPage> => {
    const page = await harness.open();
    page.setDefaultTimeout(STEP_MS);
    await page.getByText("available").waitFor();
    await page.getByRole("button", { name: "New session" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Agent").selectOption(agent);
    await dialog.getByLabel("Permissions").selectOption(permissions);
    await dialog.getByLabel("Directory").fill(stage.project);
    await dialog.getByRole("button", { name: "Start session" }).click();
    await page.getByLabel("Message", { exact: true }).waitFor();
    const id = /#\/sessions\/([^?]+)/.exec(page.url())?.[1] ?? "";
    const session = new SessionPage(page, decodeURIComponent(id));
    await session.waitForState("idle");
    return session;
  };
  const turns = (page: Page): Locator => page.locator(".turn-end");
  // Descriptions of other choices may have the same word.
  const choice = (page: Page, name: string): Locator =>
    page.getByRole("menuitem").filter({ has: page.getByText(name, { exact: true }) });
  const card = (page: Page): Locator => page.getByRole("group", { name: /^Permission/ });

  test("a first visit leads to an answer, and a reload in the middle of a turn loses nothing", {
    timeout: TEST_MS,
  }, async () => {
    const session = await start();
    await session.send(stage.text([say("Hello **there**")]));
    await session.transcript.getByText("Hello there", { exact: true }).waitFor();
    await session.page.getByText("Done", { exact: true }).waitFor();
    await session.send(stage.text([say("Before the reload"), hang]));
    await session.transcript.getByText("Before the reload", { exact: true }).waitFor();
    await session.page.reload();
    await session.transcript.getByText("Before the reload", { exact: true }).waitFor();
    expect(await session.transcript.getByText("Hello there", { exact: true }).count()).toBe(1);
    await session.page.getByRole("button", { name: /Stop/ }).click();
    await session.transcript.getByText("Cancelled", { exact: true }).waitFor();
    await session.send(stage.text([say("It continues")]));
    await session.transcript.getByText("It continues", { exact: true }).waitFor();
    await session.page.context().close();
  });

  test("edits are allowed, rejected with a reason and always allowed; the changes come from git", {
    timeout: TEST_MS,
  }, async () => {
    const git = (...args: string[]): void => {
      const identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
      execFileSync("git", [...identity, ...args], { cwd: stage.project, stdio: "ignore" });
    };
    stage.put("notes.txt", "one\ntwo\n");
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "Start", "--date=2020-01-01T00:00:00Z");
    const session = await start();
    await session.send(stage.text([write("made.txt", "made by the agent\n")], [say("Written.")]));
    await card(session.page).getByText("made by the agent").first().waitFor();
    await session.waitForState("requiresAction");
    expect(stage.file("made.txt")).toBeUndefined();
    await card(session.page)
      .getByRole("button", { name: /Allow once/ })
      .click();
    await session.transcript.getByText("Written.", { exact: true }).waitFor();
    await session.transcript.getByText(/^Allowed once by you/).waitFor();
    expect(stage.file("made.txt")).toBeDefined();
    await expect.poll(() => session.transcript.locator(".diff").count()).toBeGreaterThan(0);

    await session.send(stage.text([write("never.txt", "no\n")], [say("Understood.")]));
    await card(session.page)
      .getByRole("button", { name: /Reject/ })
      .click();
    await card(session.page)
      .getByRole("textbox")
      .fill(stage.text([say("As you wish.")]));
    await card(session.page)
      .getByRole("button", { name: /Reject/ })
      .click();
    await session.transcript.getByText("As you wish.", { exact: true }).waitFor();
    expect(stage.file("never.txt")).toBeUndefined();
    await session.waitForState("idle");

    await session.send(
      stage.text([write("second.txt", "2\n")], [write("third.txt", "3\n")], [say("Both written.")]),
    );
    await card(session.page)
      .getByRole("button", { name: /Always…/ })
      .click();
    await card(session.page).getByLabel("Scope").selectOption({ label: "Every edit" });
    await card(session.page).getByRole("button", { name: "Always allow", exact: true }).click();
    await session.transcript.getByText("Both written.", { exact: true }).waitFor();
    expect([stage.file("second.txt"), stage.file("third.txt")]).not.toContain(undefined);

    await session.page.getByRole("button", { name: "Changes" }).click();
    const panel = session.page.getByRole("complementary", { name: "Side panel" });
    await panel.getByText(/From git/).waitFor();
    await panel.getByText("3 changed files").waitFor();
    await panel.getByRole("region", { name: "Changes of made.txt" }).getByText("made by the agent").waitFor();
    await session.page.context().close();
  });

  test("a question is answered, the mode and the model are switched in place, and a plan is approved", {
    timeout: TEST_MS,
  }, async () => {
    const session = await start();
    const { page } = session;
    await session.send(stage.text([question], [sayResult]));
    const form = page.getByRole("form", { name: "Question" });
    await form.getByLabel("Blue").waitFor();
    await form.getByLabel("Blue").check();
    await form.getByRole("button", { name: /Answer/ }).click();
    await session.transcript.getByText(/^Answered by you/).waitFor();
    await expect.poll(() => turns(page).count(), { timeout: STEP_MS }).toBe(1);
    expect(await session.transcript.textContent()).toContain("Blue");

    const { choices } = (await harness.client.sessions.get(session.id)).info;
    const plain = (id: string): boolean => id !== "default" && /^[\w./-]+$/.test(id);
    const provider = (id = ""): string => id.slice(0, id.lastIndexOf("/") + 1);
    const model = choices?.models.find(
      ({ id }) => plain(id) && id !== choices.model && provider(id) === provider(choices.model),
    );
    if (model === undefined) throw new Error(`${agent} offers no other model`);
    await page.getByRole("button", { name: /^Model:/ }).click();
    await choice(page, model.name).click();
    await page.getByRole("button", { name: `Model: ${model.name}` }).waitFor();
    await session.send(stage.text([saySettings]));
    const bare = model.id.slice(model.id.lastIndexOf("/") + 1);
    // Aliases are resolved by the agent: `haiku` is asked for as a certain model.
    await session.transcript
      .getByText(new RegExp(`model=\\S*${bare}`))
      .first()
      .waitFor();

    const plan = choices?.modes.find(({ id }) => id.includes("plan"));
    if (plan === undefined) throw new Error(`${agent} offers no plan mode`);
    await page.getByRole("button", { name: /^Mode:/ }).click();
    await choice(page, plan.name).click();
    await page.getByRole("button", { name: `Mode: ${plan.name}` }).waitFor();
    await session.send(
      stage.text([leavePlan("Write it down")], [write("planned.txt", "as planned\n")], [say("Built.")]),
    );
    const approval = page.getByRole("group", { name: "Plan", exact: true });
    await approval.getByText("Write it down").first().waitFor();
    await approval.getByRole("button").first().click();
    await card(page)
      .getByRole("button", { name: /Allow once/ })
      .click();
    await session.transcript.getByText("Built.", { exact: true }).waitFor();
    expect(stage.file("planned.txt")).toBeDefined();
    await page.context().close();
  });

  test("messages queue and are reordered, an interruption goes first, and a fork leaves out what came later", {
    timeout: TEST_MS,
  }, async () => {
    const session = await start();
    const { page } = session;
    await session.send(stage.text([say("First turn")]));
    await session.transcript.getByText("First turn", { exact: true }).waitFor();
    await session.waitForState("idle");
    await session.send(stage.text([say("Working"), hang]));
    await session.transcript.getByText("Working", { exact: true }).waitFor();
    await session.queue(stage.text([say("Queued one")]), stage.text([say("Queued two")]));
    const queue = page.getByRole("region", { name: "Queue" });
    await queue.getByRole("button", { name: /^Message 2 of 2/ }).press("ArrowUp");
    await expect.poll(() => queue.getByRole("listitem").first().textContent()).toContain("Queued two");
    await session.input.fill(stage.text([say("Right now")]));
    await session.input.press("Control+Enter");
    for (const text of ["Right now", "Queued two", "Queued one"]) {
      await session.transcript.getByText(text, { exact: true }).waitFor();
    }
    await session.waitForState("idle");
    const said = await session.transcript.textContent();
    const order = ["Right now", "Queued two", "Queued one"].map((text) => said?.lastIndexOf(text) ?? -1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));

    await session.page.getByRole("button", { name: "Fork from here" }).first().click();
    await expect.poll(() => page.url(), { timeout: STEP_MS }).not.toContain(session.id);
    const id = /#\/sessions\/([^?]+)/.exec(page.url())?.[1] ?? "";
    const copy = new SessionPage(page, decodeURIComponent(id));
    await copy.transcript.getByText("First turn", { exact: true }).waitFor();
    expect(await copy.transcript.getByText("Queued two", { exact: true }).count()).toBe(0);
    await stage.model.clear();
    await copy.send(stage.text([say("My own way")]));
    await copy.transcript.getByText("My own way", { exact: true }).waitFor();
    const asked = JSON.stringify(await stage.model.conversations());
    expect(asked).toContain("First turn");
    expect(asked).not.toContain("Queued two");
    await page.context().close();
  });

  test("a daemon that is killed in the middle of a turn comes back, and the agent remembers", {
    timeout: TEST_MS,
  }, async () => {
    const session = await start("bypass");
    await session.send(stage.text([say("The word is heron.")]));
    await session.transcript.getByText("The word is heron.", { exact: true }).waitFor();
    await session.waitForState("idle");
    await session.send(stage.text([say("Before the crash"), hang]));
    await session.transcript.getByText("Before the crash", { exact: true }).waitFor();
    await stage.daemon.restart();
    await session.transcript.getByText(/the daemon was restarted/).waitFor();
    await stage.model.clear();
    await session.send(stage.text([write("after.txt", "alive\n")], [say("After the crash")]));
    await session.transcript.getByText("After the crash", { exact: true }).waitFor();
    expect(stage.file("after.txt")).toBeDefined();
    expect(JSON.stringify(await stage.model.conversations())).toContain("heron");
    await session.page.context().close();
  });
}
