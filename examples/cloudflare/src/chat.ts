// Prompts of a visitor go to an agent in the visitor's own sandbox; the text streams back.

import { ConflictError, SandboxAgent, type SandboxProvider, type Session } from "sandbox-agent";

/** A person with a sandbox. */
export interface Visitor {
  /** Id of the sandbox. */
  id: string;
  /** Token of the daemon in it. Derived from a secret, it need not be stored. */
  token: string;
}

/** Sends a prompt to the visitor's session and returns the answer as it comes. */
export async function chat(
  sandbox: SandboxProvider,
  { id: sandboxId, token }: Visitor,
  agent: string,
  prompt: string,
): Promise<Response> {
  const client = await SandboxAgent.start({ sandbox, sandboxId, token });
  const session = await openSession(client, agent);
  const turn = session.send(prompt);
  const encoder = new TextEncoder();
  const text = new ReadableStream<Uint8Array>({
    start: async (output) => {
      try {
        for await (const { type, data } of turn) {
          if (type === "messageDelta") output.enqueue(encoder.encode(data.messageDelta.text));
        }
        output.close();
      } catch (error) {
        output.error(error);
      }
    },
  });
  return new Response(text, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}

/** The session outlives the request: the next prompt continues it. */
async function openSession(client: SandboxAgent, agent: string): Promise<Session> {
  try {
    return await client.sessions.create({ id: "chat", agent });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    return client.sessions.get("chat");
  }
}
