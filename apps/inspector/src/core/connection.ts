// Which daemon the page talks to. The token comes in the fragment once and stays in the tab's session storage.

export interface Connection {
  readonly baseUrl: string;
  readonly token: string | undefined;
}

/** A gateway may have several daemons at one origin, each under its own path. A tab that visits two keeps both tokens. */
const keyOf = (location: Location): string => `sandbox-agent.connection${daemonPath(location)}`;

const daemonPath = (location: Location): string => /^(.*)\/ui\/[^/]*$/.exec(location.pathname)?.[1] ?? "";

/** Returns the address of the daemon that serves the page at `/ui/`, with the path prefix of a gateway. */
export function daemonAddress(location: Location): string {
  return location.origin + daemonPath(location);
}

/** Takes the token out of the address, so that it is neither shown, nor shared, nor kept in the history. */
export function takeConnection(
  location: Location,
  history: History,
  storage: Storage,
): Connection | undefined {
  const token = /^#token=([^&]*)/.exec(location.hash)?.[1];
  if (token !== undefined) {
    const connection = { baseUrl: daemonAddress(location), token: decodeURIComponent(token) };
    keepConnection(connection, location, storage);
    history.replaceState(null, "", `${location.pathname}${location.search}#/`);
    return connection;
  }
  return storedConnection(location, storage);
}

export function keepConnection(connection: Connection, location: Location, storage: Storage): void {
  storage.setItem(keyOf(location), JSON.stringify(connection));
}

export function forgetConnection(location: Location, storage: Storage): void {
  storage.removeItem(keyOf(location));
}

function storedConnection(location: Location, storage: Storage): Connection | undefined {
  const text = storage.getItem(keyOf(location));
  if (text === null) return undefined;
  try {
    const value = JSON.parse(text) as Partial<Connection>;
    return typeof value.baseUrl === "string" ? { baseUrl: value.baseUrl, token: value.token } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the command that starts a daemon which this page may call. */
export function serverCommand(origin: string): string {
  return `sandbox-agent server --cors-allow-origin ${origin}`;
}

/** Adds the scheme and removes the end slash that people leave out or add. */
export function normalizeEndpoint(text: string): string {
  const trimmed = text.trim().replace(/\/+$/, "");
  return /^https?:\/\//.test(trimmed) ? trimmed : `http://${trimmed}`;
}
