// Docker: the real client against a server that plays the engine.

import { FakeDocker } from "@sandbox-agent/testkit/sandboxes";
import { docker } from "../../src/providers/docker.ts";
import { liveSuite, providerSuite } from "./suite.ts";

liveSuite("docker", "SANDBOX_AGENT_TEST_DOCKER", () => docker());

providerSuite({
  name: "docker",
  start: async () => {
    const fake = await new FakeDocker().listen();
    return { fake, env: fake.env };
  },
  provider: (options) => docker({ ...options, image: "debian:bookworm-slim" }),
  steps: ["create", "upload", "start"],
  pauses: true,
});
