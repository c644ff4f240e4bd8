// Every transport, to the demo agent of a daemon.

import { randomUUID } from "node:crypto";
import type { Daemon } from "@sandbox-agent/testkit";
import { httpTransport, type Transport } from "acp-http-client";

type Address = Pick<Daemon, "baseUrl" | "headers">;

export const TRANSPORTS: Record<string, (daemon: Address) => Transport> = {
  http: ({ baseUrl, headers }) =>
    httpTransport({ url: `${baseUrl}/v1/acp/${randomUUID()}`, headers, start: { agent: "demo" } }),
};
