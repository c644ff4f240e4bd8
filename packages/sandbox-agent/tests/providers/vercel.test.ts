// Vercel Sandbox: the real SDK against a server that plays its API and its public addresses.

import { FakeVercel, routeNames } from "@sandbox-agent/testkit/sandboxes";
import { vercel } from "../../src/providers/vercel.ts";
import { liveSuite, providerSuite } from "./suite.ts";

liveSuite("vercel", "VERCEL_OIDC_TOKEN", () => vercel());

const access = { token: "token", teamId: "team", projectId: "project" };

providerSuite({
  name: "vercel",
  start: async () => {
    const fake = await new FakeVercel().listen();
    return { fake, env: { VERCEL_TELEMETRY_DISABLED: "1" }, names: routeNames(fake.resolve) };
  },
  provider: (options) => vercel({ ...options, access }),
  steps: ["create", "upload", "install", "start"],
  pauses: true,
  moves: true,
});
