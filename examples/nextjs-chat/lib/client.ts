import { SandboxAgent } from "sandbox-agent";

/** The daemon's address and token stay on the server. */
export const client = SandboxAgent.open({
  baseUrl: process.env["SANDBOX_AGENT_URL"] ?? "http://127.0.0.1:2468",
  token: process.env["SANDBOX_AGENT_TOKEN"],
});

export const settings = { agent: process.env["SANDBOX_AGENT_AGENT"] ?? "claude" };
