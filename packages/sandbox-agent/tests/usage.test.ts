// Tokens and cost over all sessions.

import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { InvalidRequestError, SandboxAgent } from "sandbox-agent";
import { afterAll, beforeAll, expect, test } from "vitest";

let daemon: Daemon;
let client: SandboxAgent;

beforeAll(async () => {
  daemon = await startDaemon();
  client = await SandboxAgent.connect(daemon.connection);
});

afterAll(() => daemon.stop());

test("usage is summed up by groups, page by page, within a period", async () => {
  const began = new Date().toISOString();
  let spent = 0;
  for (const model of ["demo-small", "demo-large"]) {
    const session = await client.sessions.create({ agent: "demo", id: model, model });
    const { usage } = await session.send("say these words").done;
    spent += usage?.totalTokens ?? 0;
  }
  expect(spent).toBeGreaterThan(0);
  const models: (string | undefined)[] = [];
  let tokens = 0;
  for await (const { model, usage } of client.usage.list({ groupBy: ["model"], from: began, limit: 1 })) {
    models.push(model);
    tokens += usage.totalTokens ?? 0;
  }
  expect(models).toEqual(["demo-large", "demo-small"]);
  expect(tokens).toBe(spent);
  const page = await client.usage.page({ groupBy: ["session", "day"], sessionId: ["demo-small"] });
  expect(page.groups).toMatchObject([{ sessionId: "demo-small", day: began.slice(0, 10) }]);
  expect(page.total.costs).toEqual([{ amount: expect.any(Number), currency: "USD" }]);
  expect((await client.usage.page({ to: began })).total.turns).toBe(0);
});

test("a period that ends before it begins is refused", async () => {
  const query = { from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z" };
  await expect(client.usage.page(query)).rejects.toBeInstanceOf(InvalidRequestError);
});
