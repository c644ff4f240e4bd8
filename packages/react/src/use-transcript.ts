// The transcript of a session, live.

import { useMemo } from "react";
import type { Connection, Loading, SessionSnapshot } from "sandbox-agent/stores";
import type { ItemList, Transcript, TranscriptItem, UserItem } from "sandbox-agent/transcript";
import { useStores } from "./provider.tsx";
import { useStore } from "./use-store.ts";

export interface TranscriptResult {
  readonly transcript: Transcript;
  /** Everything that was said and that happened. Render `items.chunks` with memoized components: a chunk changes rarely. */
  readonly items: ItemList<TranscriptItem>;
  /** Messages that wait for their turn. Show them after `items`. */
  readonly queue: readonly UserItem[];
  readonly connection: Connection;
  /** True if there are older messages to load. */
  readonly hasOlder: boolean;
  /** The state of `loadOlder`. */
  readonly history: Loading;
  /** Reads the next older page and puts it in front. Never rejects; see `history`. */
  readonly loadOlder: () => Promise<void>;
  /** Connects again after a failure, or at once while a reconnection is awaited. */
  readonly retry: () => void;
}

function content({
  transcript,
  connection,
  history,
}: SessionSnapshot): Pick<SessionSnapshot, "transcript" | "connection" | "history"> {
  return { transcript, connection, history };
}

/**
 * Follows the transcript of a session: the newest messages, older ones on demand, and new ones as they are written. Pieces
 * that arrive within a frame render once. All components that follow a session share one connection.
 */
export function useTranscript(id: string): TranscriptResult {
  const store = useStores().session(id);
  const now = useStore(store, content);
  return useMemo(() => {
    const { items, queue, older } = now.transcript;
    const { loadOlder, retry } = store;
    return { ...now, items, queue, hasOlder: older !== undefined, loadOlder, retry };
  }, [store, now]);
}
