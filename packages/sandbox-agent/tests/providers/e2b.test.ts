// E2B: the real SDK against a server that plays its API, its agent and its gateway.

import { FakeE2b, routeNames } from "@sandbox-agent/testkit/sandboxes";
import { e2b } from "../../src/providers/e2b.ts";
import { liveSuite, providerSuite } from "./suite.ts";

liveSuite("e2b", "E2B_API_KEY", () => e2b());

providerSuite({
  name: "e2b",

  start: async () => {
    const fake = await new FakeE2b().listen();
    return { fake, env: fake.env, names: routeNames(fake.resolve) };
  },
  provider: (options) => e2b(options),
  steps: ["create", "upload", "install", "start"],
  pauses: true,
});
