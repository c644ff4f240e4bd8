// Modal: the real SDK against a gRPC server that plays its control plane and its command router.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeModal, freePort, routeNames, smallProgram } from "@sandbox-agent/testkit/sandboxes";
import { afterEach, expect, test, vi } from "vitest";
import { SandboxAgent } from "../../src/index.ts";
import { modal } from "../../src/providers/modal.ts";
import { liveSuite, providerSuite } from "./suite.ts";

liveSuite("modal", "MODAL_TOKEN_ID", () => modal());

let fake: FakeModal;

providerSuite({
  name: "modal",
  start: async () => {
    fake = await new FakeModal().listen();
    return { fake, env: fake.env, names: routeNames(fake.resolve) };
  },
  provider: (options) => {
    fake.ports.add(options.port ?? 0);
    return modal(options);
  },
  steps: ["create", "upload", "install", "start"],
  pauses: false,
});

afterEach(() => vi.unstubAllEnvs());

test("modal leaves Authorization to the proxy that checks connect tokens", async () => {
  await using own = await new FakeModal().listen();
  using _names = routeNames(own.resolve);
  for (const [name, value] of Object.entries(own.env)) vi.stubEnv(name, value);
  const folder = mkdtempSync(join(tmpdir(), "sa-modal-"));
  const port = await freePort();
  own.connectPort = port;
  const sandbox = modal({ port, gateway: "connect-token", program: { file: smallProgram(folder) } });
  const client = await SandboxAgent.start({ sandbox });
  expect(await client.sandbox?.endpoint()).toMatchObject({
    baseUrl: "https://connect.modal.test",
    headers: { Authorization: "Bearer connect-secret" },
    tokenHeader: "X-Sandbox-Agent-Token",
  });
  expect((await client.health()).status).toBe("ok");
  await client.dispose();
  rmSync(folder, { recursive: true });
});
