// An agent that answers the least it has to, and writes lines that are no messages before each answer.

import { createInterface } from "node:readline";

const answers = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  "session/new": { sessionId: "only" },
  "session/prompt": { stopReason: "end_turn" },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  process.stdout.write("this is no message\n");
  const result = { ...answers[method], _meta: { "sandboxagent.dev": params?._meta?.["sandboxagent.dev"] } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
