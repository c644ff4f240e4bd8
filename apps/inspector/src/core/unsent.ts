// A message that is withdrawn from the queue and not sent again yet. It is kept in case the page ends in between.

import type { InputPart } from "sandbox-agent";

const keyOf = (sessionId: string): string => `sandbox-agent.unsent.${sessionId}`;

export function keepUnsent(storage: Storage, sessionId: string, parts: readonly InputPart[]): void {
  try {
    storage.setItem(keyOf(sessionId), JSON.stringify(parts));
  } catch {
    // The storage of a browser has a limit, which attachments may exceed.
  }
}

export function readUnsent(storage: Storage, sessionId: string): InputPart[] {
  return JSON.parse(storage.getItem(keyOf(sessionId)) ?? "[]") as InputPart[];
}

export function forgetUnsent(storage: Storage, sessionId: string): void {
  storage.removeItem(keyOf(sessionId));
}
