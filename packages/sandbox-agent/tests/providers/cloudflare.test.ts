// Cloudflare: a stand-in for the binding, whose types are compared with the package's own.

import type { Sandbox } from "@cloudflare/sandbox";
import { FakeCloudflare } from "@sandbox-agent/testkit/sandboxes";
import { expectTypeOf, test } from "vitest";
import type { CloudflareOptions, CloudflareSandbox } from "../../src/providers/cloudflare.ts";
import { cloudflare } from "../../src/providers/cloudflare.ts";
import { providerSuite } from "./suite.ts";

test("the binding of the package is accepted", () => {
  expectTypeOf<Sandbox>().toExtend<CloudflareSandbox>();
});

let fake: FakeCloudflare;

providerSuite({
  name: "cloudflare",
  start: async () => {
    fake = await new FakeCloudflare().listen();
    return { fake };
  },
  provider: (options) => cloudflare({ ...(options as CloudflareOptions), sandbox: fake.sandbox }),
  steps: ["install", "start"],
  pauses: false,
});
