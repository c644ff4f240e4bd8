// Daytona: the real SDK against a server that plays its API, its toolbox and its preview proxy.

import { FakeDaytona } from "@sandbox-agent/testkit/sandboxes";
import { daytona } from "../../src/providers/daytona.ts";
import { liveSuite, providerSuite } from "./suite.ts";

liveSuite("daytona", "DAYTONA_API_KEY", () => daytona());

providerSuite({
  name: "daytona",
  start: async () => {
    const fake = await new FakeDaytona().listen();
    return { fake, env: fake.env };
  },
  provider: (options) => daytona(options),
  steps: ["create", "upload", "install", "start"],
  pauses: true,
  moves: true,
});
