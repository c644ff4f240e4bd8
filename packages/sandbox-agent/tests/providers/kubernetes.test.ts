// Kubernetes: the real client against a server that plays the API server, port forwarding included.

import "./node-22.ts";
import { FakeKubernetes } from "@sandbox-agent/testkit/sandboxes";
import type { KubernetesOptions } from "../../src/providers/kubernetes.ts";
import { kubernetes } from "../../src/providers/kubernetes.ts";
import { liveSuite, providerSuite } from "./suite.ts";

liveSuite("kubernetes", "SANDBOX_AGENT_TEST_KUBERNETES", () => kubernetes());

providerSuite({
  name: "kubernetes",
  start: async () => {
    const fake = await new FakeKubernetes().listen();
    return { fake, env: fake.env };
  },
  provider: (options) => kubernetes(options as KubernetesOptions),
  steps: ["create"],
  pauses: false,
});
