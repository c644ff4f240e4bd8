// The MCP server on standard input and output. It greets with GREETING, and says nothing for the first DELAY_MS.

import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { answer } from "./mcp-protocol.js";

await setTimeout(Number(process.env.DELAY_MS ?? 0));
for await (const line of createInterface({ input: process.stdin })) {
  const reply = answer(JSON.parse(line), process.env.GREETING);
  if (reply !== undefined) process.stdout.write(`${JSON.stringify(reply)}\n`);
}
