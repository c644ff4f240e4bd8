// The part of the Worker that talks to the agent, with a stand-in for the binding. The Worker itself is type-checked.

import { binary } from "@sandbox-agent/testkit";
import { FakeCloudflare, freePort } from "@sandbox-agent/testkit/sandboxes";
import { cloudflare } from "sandbox-agent/cloudflare";
import { expect, test } from "vitest";
import { chat } from "../src/chat.ts";

test("answers, and continues the session with the next request", async () => {
  await using fake = await new FakeCloudflare().listen();
  const port = await freePort();
  const provider = cloudflare({ sandbox: fake.sandbox, port, program: { installed: binary } });
  const visitor = { id: "me", token: "secret" };
  expect(await (await chat(provider, visitor, "demo", "say one")).text()).toContain("one");
  expect(await (await chat(provider, visitor, "demo", "say two")).text()).toContain("two");
  const headers = { Authorization: "Bearer secret" };
  const messages = await fetch(`http://127.0.0.1:${port}/v1/sessions/chat/messages`, { headers });
  expect(await messages.text()).toMatch(/say one.*say two/s);
  expect([...fake.machines.keys()]).toEqual(["me"]);
});
