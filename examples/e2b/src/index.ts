// Starts the daemon in an E2B sandbox, behind the traffic token of E2B.

import { SandboxAgent } from "sandbox-agent";
import { type E2bOptions, e2b } from "sandbox-agent/e2b";

export async function example(
  agent: string,
  prompt: string,
  print: (text: string) => void,
  options: E2bOptions = {},
): Promise<void> {
  await using client = await SandboxAgent.start({ sandbox: e2b(options) });
  print(`sandbox ${client.sandbox?.id} at ${client.baseUrl}\n`);
  const session = await client.sessions.create({ agent });
  const { text } = await session.send(prompt).done;
  print(`${text}\n`);
}
