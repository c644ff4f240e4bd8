// Starts the daemon in a private Daytona sandbox.

import { SandboxAgent } from "sandbox-agent";
import { type DaytonaOptions, daytona } from "sandbox-agent/daytona";

export async function example(
  agent: string,
  prompt: string,
  print: (text: string) => void,
  options: DaytonaOptions = {},
): Promise<void> {
  await using client = await SandboxAgent.start({ sandbox: daytona(options) });
  print(`sandbox ${client.sandbox?.id} at ${client.baseUrl}\n`);
  const session = await client.sessions.create({ agent });
  const { text } = await session.send(prompt).done;
  print(`${text}\n`);
}
