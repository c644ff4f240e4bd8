// Starts the daemon in a Vercel Sandbox.

import { SandboxAgent } from "sandbox-agent";
import { type VercelOptions, vercel } from "sandbox-agent/vercel";

export async function example(
  agent: string,
  prompt: string,
  print: (text: string) => void,
  options: VercelOptions = {},
): Promise<void> {
  await using client = await SandboxAgent.start({ sandbox: vercel(options) });
  print(`sandbox ${client.sandbox?.id} at ${client.baseUrl}\n`);
  const session = await client.sessions.create({ agent });
  const { text } = await session.send(prompt).done;
  print(`${text}\n`);
}
