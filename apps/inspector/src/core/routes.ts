// The address of what is shown. It lives in the fragment, so that any static server can serve the page.

export type Panel = "changes" | "events" | "files" | "terminal";
export const PANELS: readonly Panel[] = ["changes", "events", "files", "terminal"];

export type Route =
  | { readonly screen: "home" }
  | {
      readonly screen: "session";
      readonly id: string;
      readonly panel: Panel | undefined;
      /** Event whose place in the transcript is shown. */
      readonly event?: number | undefined;
    }
  | { readonly screen: "files"; readonly path: string | undefined }
  | { readonly screen: "terminals" }
  | { readonly screen: "settings" };

/** Reads a fragment such as `#/sessions/abc?panel=changes`. Unknown addresses lead home. */
export function parseRoute(fragment: string): Route {
  const [path = "", query = ""] = fragment.replace(/^#/, "").split("?");
  const [first = "", second = ""] = path.split("/").filter((name) => name !== "");
  const parameters = new URLSearchParams(query);
  switch (first) {
    case "sessions":
      return second === "" ? { screen: "home" } : sessionRoute(decode(second), parameters);
    case "files":
      return { screen: "files", path: parameters.get("path") ?? undefined };
    case "terminals":
      return { screen: "terminals" };
    case "settings":
      return { screen: "settings" };
    default:
      return { screen: "home" };
  }
}

export function formatRoute(route: Route): string {
  switch (route.screen) {
    case "home":
      return "#/";
    case "session": {
      const query = new URLSearchParams();
      if (route.panel !== undefined) query.set("panel", route.panel);
      if (route.event !== undefined) query.set("event", String(route.event));
      return `#/sessions/${encodeURIComponent(route.id)}${query.size === 0 ? "" : `?${query}`}`;
    }
    case "files":
      return route.path === undefined ? "#/files" : `#/files?path=${encodeURIComponent(route.path)}`;
    default:
      return `#/${route.screen}`;
  }
}

function sessionRoute(id: string, parameters: URLSearchParams): Route {
  const panel = PANELS.find((name) => name === parameters.get("panel"));
  const event = Number(parameters.get("event"));
  const route = { screen: "session", id, panel } as const;
  return Number.isSafeInteger(event) && event > 0 ? { ...route, event } : route;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
