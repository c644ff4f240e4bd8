// Starts the daemon in a container of its own and removes that at the end.

import { SandboxAgent } from "sandbox-agent";
import { type DockerOptions, docker } from "sandbox-agent/docker";

export async function example(
  agent: string,
  prompt: string,
  print: (text: string) => void,
  options: DockerOptions = {},
): Promise<void> {
  await using client = await SandboxAgent.start({ sandbox: docker(options) });
  print(`sandbox ${client.sandbox?.id} at ${client.baseUrl}\n`);
  const session = await client.sessions.create({ agent });
  const { text } = await session.send(prompt).done;
  print(`${text}\n`);
}
