// A conversation loses its sandbox in the middle of a turn, and continues in another one.

import type { SandboxProvider } from "sandbox-agent";
import type { PersistDriver } from "sandbox-agent/persist";
import { Fleet, type Placed } from "./fleet.ts";

export interface Scenario {
  store: PersistDriver;
  sandboxes: SandboxProvider[];
  /** Ends a sandbox without warning. */
  destroy: (sandboxId: string) => void;
  print: (line: string) => void;
}

/** Returns what the agent said after it lost its sandbox. */
export async function example({ store, sandboxes, destroy, print }: Scenario): Promise<string> {
  await using fleet = await Fleet.start(store, sandboxes);
  const first = await fleet.create("demo");
  print(`session ${first.session.id} runs in sandbox ${first.sandbox.sandbox?.id}`);
  await first.session.send("say The secret word is plum.").done;

  // A turn that would take minutes. Its sandbox is lost after a few words.
  await say(first, "stream 10000 20 every 20", 40);
  destroy(first.sandbox.sandbox?.id ?? "");
  print(`sandbox ${first.sandbox.sandbox?.id} was killed; the store has ${first.mirroring.stored} events`);

  const second = await fleet.recover(first);
  print(`session ${second.session.id} runs in sandbox ${second.sandbox.sandbox?.id}`);
  const { messages } = await second.session.send("say And here it continues.").done;
  for await (const event of second.session.events()) {
    if (event.type !== "continuity") continue;
    print(`the agent remembers: ${event.data.continuity.kind}`);
    break;
  }
  await second.mirroring.stop();
  return JSON.stringify(messages);
}

/** Sends a message and returns once that many events of its turn are stored. */
async function say({ session, mirroring }: Placed, message: string, events: number): Promise<void> {
  const turn = session.send(message);
  const { eventId } = await turn.accepted;
  await mirroring.until(eventId + events);
}
