// Decides what an agent may do: reads are allowed, everything else is asked for.

import { SandboxAgent } from "sandbox-agent";
import { type LocalOptions, local } from "sandbox-agent/local";

/** Asks a person. */
export type Confirm = (title: string) => Promise<boolean>;

export async function example(
  agent: string,
  prompt: string,
  confirm: Confirm,
  options: LocalOptions = {},
): Promise<string> {
  await using client = await SandboxAgent.start({ sandbox: local(options) });
  const session = await client.sessions.create({ agent, cwd: process.cwd() });
  session.onPermission(async (permission) => {
    const { title, kind } = permission.request;
    if (kind === "read" || (await confirm(title))) await permission.allowOnce();
    else await permission.reject();
  });
  const { text } = await session.send(prompt).done;
  return text;
}
