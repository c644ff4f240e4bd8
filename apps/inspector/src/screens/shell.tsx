// The frame around every screen: navigation, keys, palette.

import { useSandboxAgent } from "@sandbox-agent/react";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, Suspense, useEffect, useState } from "react";
import { isTokenError } from "../app.tsx";
import { Icon, type IconName } from "../components/icons.tsx";
import { OfflineBar } from "../components/offline-bar.tsx";
import { Palette } from "../components/palette.tsx";
import { formatRoute, parseRoute, type Route } from "../core/routes.ts";
import { useConnection } from "../hooks/connection.ts";
import { useKeys } from "../hooks/keys.ts";
import { preloadable, whenIdle } from "../hooks/preload.ts";
import { useRoute } from "../hooks/route.ts";
import { HomeScreen } from "./home.tsx";
import "./shell.css";

const LazySession = preloadable(() => import("./session.tsx"));
const LazyFiles = preloadable(() => import("./files.tsx"));
const LazyTerminals = preloadable(() => import("./terminals.tsx"));
const LazySettings = preloadable(() => import("./settings.tsx"));
const LazyNewSession = preloadable(() => import("../components/new-session.tsx"));
const LazyShortcuts = preloadable(() => import("../components/shortcuts.tsx"));

// A link to a session needs its chunk before the daemon has answered.
if (parseRoute(location.hash).screen === "session") LazySession.preload();

const PLACES: readonly { route: Route; icon: IconName; label: string }[] = [
  { route: { screen: "home" }, icon: "home", label: "Home" },
  { route: { screen: "files", path: undefined }, icon: "files", label: "Files" },
  { route: { screen: "terminals" }, icon: "terminal", label: "Terminals" },
  { route: { screen: "settings" }, icon: "settings", label: "Settings" },
];

export function Shell(): ReactElement {
  const { route, go } = useRoute();
  const [overlay, setOverlay] = useState<Overlay>();
  const health = useHealth();
  useEffect(
    () =>
      whenIdle(() => {
        for (const { preload } of [LazySession, LazyNewSession, LazyShortcuts]) preload();
      }),
    [],
  );
  const newSession = (): void => setOverlay({ type: "new" });
  const close = (): void => setOverlay(undefined);
  useKeys({
    "mod+k": () => setOverlay({ type: "palette" }),
    "?": () => setOverlay({ type: "shortcuts" }),
    c: newSession,
    "g h": () => go({ screen: "home" }),
    "g s": () => setOverlay({ type: "palette" }),
    "g f": () => go({ screen: "files", path: undefined }),
    "g t": () => go({ screen: "terminals" }),
    "g ,": () => go({ screen: "settings" }),
    "/": () => document.querySelector<HTMLElement>("[data-composer], [data-search]")?.focus(),
  });
  // Nothing is shown of a daemon that does not accept the token.
  if (health.isPending || isTokenError(health.error)) return <Connecting />;
  return (
    <div className="shell">
      <nav className="rail" aria-label="Main">
        {PLACES.map(({ route: place, icon, label }) => (
          <a
            key={label}
            className="rail-item"
            href={formatRoute(place)}
            aria-label={label}
            title={label}
            aria-current={route.screen === place.screen ? "page" : undefined}
          >
            <Icon name={icon} />
          </a>
        ))}
        <button
          type="button"
          className="rail-item rail-end"
          aria-label="Search and commands"
          title="Search and commands"
          onClick={() => setOverlay({ type: "palette" })}
        >
          <Icon name="search" />
        </button>
      </nav>
      <main className="shell-main">
        <OfflineBar query={health} />
        <Suspense fallback={null}>
          <Screen route={route} onNew={newSession} />
        </Suspense>
      </main>
      <Suspense fallback={null}>
        <OverlayView overlay={overlay} onOpen={setOverlay} onClose={close} />
      </Suspense>
    </div>
  );
}

type Overlay = { readonly type: "palette" } | { readonly type: "shortcuts" } | { readonly type: "new" };

function OverlayView(props: {
  overlay: Overlay | undefined;
  onOpen: (overlay: Overlay) => void;
  onClose: () => void;
}): ReactElement | null {
  const { overlay, onOpen, onClose } = props;
  switch (overlay?.type) {
    case "palette":
      return (
        <Palette
          onClose={onClose}
          onNew={() => onOpen({ type: "new" })}
          onShortcuts={() => onOpen({ type: "shortcuts" })}
        />
      );
    case "shortcuts":
      return <LazyShortcuts.View onClose={onClose} />;
    case "new":
      return <LazyNewSession.View onClose={onClose} />;
    default:
      return null;
  }
}

function Screen({ route, onNew }: { route: Route; onNew: () => void }): ReactElement {
  switch (route.screen) {
    case "session":
      return <LazySession.View key={route.id} id={route.id} panel={route.panel} event={route.event} />;
    case "files":
      return <LazyFiles.View path={route.path} />;
    case "terminals":
      return <LazyTerminals.View />;
    case "settings":
      return <LazySettings.View />;
    default:
      return <HomeScreen onNew={onNew} />;
  }
}

/** Appears only if the daemon is slow to answer. */
function Connecting(): ReactElement {
  return (
    <main className="connecting" role="status">
      Connecting…
    </main>
  );
}

/** Asks for the sessions rather than the health, because that also checks the token. */
function useHealth() {
  const client = useSandboxAgent();
  const { disconnect } = useConnection();
  const health = useQuery({
    queryKey: ["health"],
    refetchInterval: 5_000,
    refetchOnReconnect: "always",
    queryFn: async ({ signal }) => {
      // A busy daemon is slow. One that is gone refuses at once.
      const options = { signal, timeoutMs: 10_000 };
      const [health] = await Promise.all([
        client.health(options),
        client.sessions.page({ limit: 1 }, options),
      ]);
      return health;
    },
  });
  useEffect(() => {
    if (isTokenError(health.error)) disconnect(health.error);
  }, [health.error, disconnect]);
  return health;
}

export type HealthQuery = ReturnType<typeof useHealth>;
