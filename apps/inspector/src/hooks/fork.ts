// Copies a session: all of it by the agent itself, or up to a turn.

import { useSandboxAgent } from "@sandbox-agent/react";
import { useCallback } from "react";
import { UnsupportedError } from "sandbox-agent";
import type { SessionStore } from "sandbox-agent/stores";
import type { Transcript } from "sandbox-agent/transcript";
import { sessionTitle } from "../core/session-list.ts";
import { useRoute } from "./route.ts";

/** Returns a function that forks the session after an event, or at its end, and opens the copy. */
export function useFork(store: SessionStore, onError: (error: unknown) => void): (until?: number) => void {
  const client = useSandboxAgent();
  const { go } = useRoute();
  return useCallback(
    (until?: number) => {
      const { info, transcript } = store.getSnapshot();
      const title = info === undefined ? "Fork" : `${sessionTitle(info)} (fork)`;
      const run = async (): Promise<void> => {
        const session = await client.sessions.get(store.id);
        const after = until === undefined || isLastTurn(transcript, until) ? undefined : until;
        const copy = await session
          .fork(after === undefined ? { title } : { title, until: after })
          .catch((error) => {
            // Agents that cannot fork get the conversation as text.
            if (!(error instanceof UnsupportedError) || after !== undefined) throw error;
            return session.fork({ title, until: until ?? session.info.lastEventId });
          });
        go({ screen: "session", id: copy.id, panel: undefined });
      };
      run().catch(onError);
    },
    [client, go, onError, store],
  );
}

/** True if nothing was said after the turn that ended with this event, and nothing is being said. */
function isLastTurn(transcript: Transcript, ended: number): boolean {
  if (transcript.turn !== undefined) return false;
  const later = transcript.items.toArray().filter((item) => item.position > ended);
  return later.every((item) => item.kind !== "user" && item.kind !== "assistant");
}
