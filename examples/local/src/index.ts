// A daemon on this machine, one session, one prompt. Everything ends with the block.

import { SandboxAgent } from "sandbox-agent";
import { type LocalOptions, local } from "sandbox-agent/local";

export async function example(
  agent: string,
  prompt: string,
  print: (text: string) => void,
  options: LocalOptions = {},
): Promise<void> {
  await using client = await SandboxAgent.start({ sandbox: local(options) });
  const session = await client.sessions.create({ agent, cwd: process.cwd() });
  const turn = session.send(prompt);
  for await (const event of turn) {
    if (event.type === "messageDelta") print(event.data.messageDelta.text);
  }
  const { stopReason } = await turn.done;
  print(`\n(${stopReason})\n`);
}
