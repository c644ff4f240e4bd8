// Reads a session from a stored offset. Run it again, and it continues where it stopped.

import { readFile, rename, writeFile } from "node:fs/promises";
import { SandboxAgent, type UniversalEvent } from "sandbox-agent";

export interface Reading {
  baseUrl: string;
  token: string;
  sessionId: string;
  /** File that remembers the last event that was handled. */
  offsetFile: string;
  handle: (event: UniversalEvent) => void | Promise<void>;
  signal?: AbortSignal;
}

/** Handles each event once it happens, until the session ends. Lost connections and restarted daemons make no difference. */
export async function example({
  baseUrl,
  token,
  sessionId,
  offsetFile,
  handle,
  signal,
}: Reading): Promise<void> {
  const client = await SandboxAgent.connect({ baseUrl, token, signal });
  const session = await client.sessions.get(sessionId);
  const after = Number(await readFile(offsetFile, "utf8").catch(() => "0"));
  for await (const event of session.events({ after, signal })) {
    await handle(event);
    await store(offsetFile, event.id);
  }
}

/** Replaces the file as a whole, so that a crash leaves either the old offset or the new one. */
async function store(file: string, offset: number): Promise<void> {
  await writeFile(`${file}.new`, String(offset));
  await rename(`${file}.new`, file);
}
