// The list of sessions.

import { useMemo } from "react";
import type { SessionsSnapshot, SessionsStore, SessionsStoreOptions } from "sandbox-agent/stores";
import { useStores } from "./provider.tsx";
import { useStore } from "./use-store.ts";

/** The sessions of a daemon, with the ways to change the list. */
export type SessionsResult = SessionsSnapshot &
  Pick<SessionsStore, "refresh" | "loadMore" | "create" | "remove">;

const all = (snapshot: SessionsSnapshot): SessionsSnapshot => snapshot;

/** Lists sessions, the newest first, and reads the list again every `refreshMs`, 5 s by default. */
export function useSessions(options: SessionsStoreOptions = {}): SessionsResult {
  const store = useStores().sessions(options);
  const snapshot = useStore(store, all);
  return useMemo(() => {
    const { refresh, loadMore, create, remove } = store;
    return { ...snapshot, refresh, loadMore, create, remove };
  }, [store, snapshot]);
}
