// An MCP server on standard input and output. Its only tool greets with the words of GREETING.

import { createInterface } from "node:readline";

const TOOL = {
  name: "greet",
  description: "Greets somebody",
  inputSchema: { type: "object", properties: { who: { type: "string" } } },
};

function answer({ method, params }) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "suite", version: "1" },
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools: [TOOL] };
    case "tools/call":
      return { content: [{ type: "text", text: `${process.env.GREETING}, ${params.arguments.who}` }] };
    default:
      return undefined;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id === undefined) continue;
  const result = answer(message);
  const error = { code: -32601, message: `no method ${message.method}` };
  const reply = result === undefined ? { error } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, ...reply })}\n`);
}
