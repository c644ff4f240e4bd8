// The frame around every screen: navigation, keys, palette.

import { useSandboxAgent } from "@sandbox-agent/react";
import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactElement, Suspense, useEffect, useState } from "react";
import { isTokenError } from "../app.tsx";
import { Icon, type IconName } from "../components/icons.tsx";
import { OfflineBar } from "../components/offline-bar.tsx";
import { formatRoute, type Route } from "../core/routes.ts";
import { useConnection } from "../hooks/connection.ts";
import { useKeys } from "../hooks/keys.ts";
import { useRoute } from "../hooks/route.ts";
import { HomeScreen } from "./home.tsx";
import { SessionScreen } from "./session.tsx";
import "./shell.css";

const Palette = lazy(() => import("../components/palette.tsx"));
const ShortcutsDialog = lazy(() => import("../components/shortcuts.tsx"));
const FilesScreen = lazy(() => import("./files.tsx"));
const TerminalsScreen = lazy(() => import("./terminals.tsx"));
const SettingsScreen = lazy(() => import("./settings.tsx"));

const PLACES: readonly { route: Route; icon: IconName; label: string }[] = [
  { route: { screen: "home" }, icon: "home", label: "Home" },
  { route: { screen: "files", path: undefined }, icon: "files", label: "Files" },
  { route: { screen: "terminals" }, icon: "terminal", label: "Terminals" },
  { route: { screen: "settings" }, icon: "settings", label: "Settings" },
];

export function Shell(): ReactElement {
  const { route, go } = useRoute();
  const [overlay, setOverlay] = useState<"palette" | "shortcuts">();
  const health = useHealth();
  useKeys({
    "mod+k": () => setOverlay("palette"),
    "?": () => setOverlay("shortcuts"),
    "g h": () => go({ screen: "home" }),
    "g s": () => setOverlay("palette"),
    "g f": () => go({ screen: "files", path: undefined }),
    "g t": () => go({ screen: "terminals" }),
    "g ,": () => go({ screen: "settings" }),
    "/": () => document.querySelector<HTMLElement>("[data-composer], [data-search]")?.focus(),
  });
  const close = (): void => setOverlay(undefined);
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
          onClick={() => setOverlay("palette")}
        >
          <Icon name="search" />
        </button>
      </nav>
      <main className="shell-main">
        <OfflineBar query={health} />
        <Suspense fallback={null}>
          <Screen route={route} />
        </Suspense>
      </main>
      <Suspense fallback={null}>
        {overlay === "palette" ? (
          <Palette onClose={close} onShortcuts={() => setOverlay("shortcuts")} />
        ) : null}
        {overlay === "shortcuts" ? <ShortcutsDialog onClose={close} /> : null}
      </Suspense>
    </div>
  );
}

function Screen({ route }: { route: Route }): ReactElement {
  switch (route.screen) {
    case "session":
      return <SessionScreen key={route.id} id={route.id} panel={route.panel} event={route.event} />;
    case "files":
      return <FilesScreen path={route.path} />;
    case "terminals":
      return <TerminalsScreen />;
    case "settings":
      return <SettingsScreen />;
    default:
      return <HomeScreen />;
  }
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
      await client.sessions.page({ limit: 1 }, { signal, timeoutMs: 4_000 });
      return client.health({ signal, timeoutMs: 4_000 });
    },
  });
  useEffect(() => {
    if (isTokenError(health.error)) disconnect(health.error);
  }, [health.error, disconnect]);
  return health;
}

export type HealthQuery = ReturnType<typeof useHealth>;
