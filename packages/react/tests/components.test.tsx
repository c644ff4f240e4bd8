// The components against the real daemon, used as a person with a keyboard would.

import "./dom.ts";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { cleanup, fireEvent, type RenderResult, render, waitFor } from "@testing-library/react";
import { StrictMode } from "react";
import { SandboxAgent } from "sandbox-agent";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Composer, SandboxAgentProvider, Transcript } from "../src/index.ts";

let daemon: Daemon;
let client: SandboxAgent;
const patience = { timeout: 20_000 };

beforeAll(async () => {
  daemon = await startDaemon();
  client = SandboxAgent.open(daemon.connection);
});
afterAll(() => daemon.stop());
afterEach(cleanup);

function show({ id }: { id: string }): RenderResult {
  return render(
    <StrictMode>
      <SandboxAgentProvider {...daemon.connection}>
        <Transcript sessionId={id} parts={{ text: ({ part }) => <b>{part.text}</b> }} />
        <Composer sessionId={id} />
      </SandboxAgentProvider>
    </StrictMode>,
  );
}

function type(view: RenderResult, text: string): void {
  const field = view.getByLabelText("Message");
  fireEvent.change(field, { target: { value: text } });
  fireEvent.keyDown(field, { key: "Enter" });
}

test("a message, a permission and the answer", async () => {
  const view = show(await client.sessions.create({ agent: "demo" }));
  type(view, "say Hello\npermission Send it off\nsay bye");
  const allow = await view.findByRole("button", { name: /allow once/i }, patience);
  // A request that is open when the transcript is opened is shown before the events that led to it have arrived.
  expect((await view.findByText("Hello", {}, patience)).tagName).toBe("B");
  expect(view.getByRole("log").querySelector("[data-item=permission]")?.getAttribute("data-state")).toBe(
    "open",
  );
  fireEvent.click(allow);
  await view.findByText("bye", {}, patience);
  const card = view.container.querySelector("[data-sandbox-agent=permission]");
  expect(card?.getAttribute("data-reply")).toBe("once");
  expect(allow.hasAttribute("disabled")).toBe(true);
  expect(view.getByLabelText("Message")).toHaveProperty("value", "");
});

test("a form with all kinds of fields", async () => {
  const session = await client.sessions.create({ agent: "demo" });
  const view = show(session);
  type(view, "question form\nsay done");
  await waitFor(() => expect(view.container.querySelectorAll("[data-slot=field]").length).toBe(5), patience);
  fireEvent.click(view.getByLabelText(/^Green/));
  fireEvent.click(view.getByLabelText(/^Apple/));
  fireEvent.click(view.getByLabelText(/^Cherry/));
  const form = view.container.querySelector<HTMLFormElement>("form[data-sandbox-agent=question]");
  const text = form?.querySelector("[data-kind=text] input");
  const number = form?.querySelector("[data-kind=integer] input");
  fireEvent.change(text as Element, { target: { value: "some words" } });
  fireEvent.change(number as Element, { target: { value: "42" } });
  fireEvent.click(view.getByLabelText("Yes"));
  fireEvent.submit(form as Element);
  await view.findByText("done", {}, patience);
  const { events } = await session.eventPage({ types: ["questionResolved"] });
  const [event] = events;
  expect(event?.type === "questionResolved" && event.data.questionResolved.answers).toEqual([
    ["Green"],
    ["Apple", "Cherry"],
    ["some words"],
    ["42"],
    ["true"],
  ]);
  expect(form?.getAttribute("data-outcome")).toBe("answered");
});

test("a plan is approved", async () => {
  const view = show(await client.sessions.create({ agent: "demo", agentMode: "plan" }));
  type(view, "leave-plan\nconfig");
  const plan = await waitFor(() => {
    const card = view.container.querySelector("[data-sandbox-agent=plan]");
    expect(card).not.toBeNull();
    return card as Element;
  }, patience);
  expect(plan.querySelector("[data-slot=plan]")?.textContent).not.toBe("");
  const [approve] = plan.querySelectorAll("[data-slot=actions] button");
  fireEvent.click(approve as Element);
  await waitFor(() => expect(plan.getAttribute("data-state")).toBe("resolved"), patience);
});

test("Escape stops the turn", async () => {
  const view = show(await client.sessions.create({ agent: "demo" }));
  type(view, "hang");
  await view.findByRole("button", { name: "Stop" }, patience);
  fireEvent.keyDown(view.getByLabelText("Message"), { key: "Escape" });
  await view.findByText("Stopped: cancelled", {}, patience);
});

test("a message that cannot be sent stays in the field", async () => {
  const view = show({ id: "nowhere" });
  type(view, "say lost");
  await view.findByRole("alert", {}, patience);
  expect(view.getByLabelText("Message")).toHaveProperty("value", "say lost");
});
