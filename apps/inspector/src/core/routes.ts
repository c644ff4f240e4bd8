// The address of what is shown. It lives in the fragment, so that any static server can serve the page.

export type Panel = "changes" | "events" | "files" | "terminal";
export const PANELS: readonly Panel[] = ["changes", "events", "files", "terminal"];

export type Route =
  | { readonly screen: "home" }
  | { readonly screen: "session"; readonly id: string; readonly panel: Panel | undefined }
  | { readonly screen: "files"; readonly path: string | undefined }
  | { readonly screen: "terminals" }
  | { readonly screen: "settings" };

/** Reads a fragment such as `#/sessions/abc?panel=changes`. Unknown addresses lead home. */
export function parseRoute(fragment: string): Route {
  const [path = "", query = ""] = fragment.replace(/^#/, "").split("?");
  const [first = "", second = ""] = path.split("/").filter((name) => name !== "");
  const parameters = new URLSearchParams(query);
  const panel = PANELS.find((name) => name === parameters.get("panel"));
  switch (first) {
    case "sessions":
      return second === "" ? { screen: "home" } : { screen: "session", id: decode(second), panel };
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
      const panel = route.panel === undefined ? "" : `?panel=${route.panel}`;
      return `#/sessions/${encodeURIComponent(route.id)}${panel}`;
    }
    case "files":
      return route.path === undefined ? "#/files" : `#/files?path=${encodeURIComponent(route.path)}`;
    default:
      return `#/${route.screen}`;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
