// Kubernetes: the real client against a server that plays the API server, port forwarding included.

import workers from "node:worker_threads";
import zlib from "node:zlib";
import { FakeKubernetes } from "@sandbox-agent/testkit/sandboxes";
import type { KubernetesOptions } from "../../src/providers/kubernetes.ts";
import { kubernetes } from "../../src/providers/kubernetes.ts";
import { liveSuite, providerSuite } from "./suite.ts";

// The client's HTTP library is for Node 22. It loads on Node 20 if these two exist; they are not used here.
if (!("createZstdDecompress" in zlib)) Object.assign(zlib, { createZstdDecompress: () => {} });
if (!("markAsUncloneable" in workers)) Object.assign(workers, { markAsUncloneable: () => {} });

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
