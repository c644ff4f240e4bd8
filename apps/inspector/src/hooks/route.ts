// The current route, from the fragment of the address.

import { useCallback, useMemo, useSyncExternalStore } from "react";
import { formatRoute, parseRoute, type Route } from "../core/routes.ts";

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

export function useRoute(): { route: Route; go: (route: Route) => void; replace: (route: Route) => void } {
  const fragment = useSyncExternalStore(subscribe, () => location.hash);
  const route = useMemo(() => parseRoute(fragment), [fragment]);
  const go = useCallback((next: Route) => {
    location.hash = formatRoute(next);
  }, []);
  const replace = useCallback((next: Route) => {
    window.history.replaceState(null, "", formatRoute(next));
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  }, []);
  return { route, go, replace };
}
