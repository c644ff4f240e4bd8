// Which daemon the page talks to. The token comes in the fragment once and stays in the tab's session storage.

export interface Connection {
  readonly baseUrl: string;
  readonly token: string | undefined;
}

const KEY = "sandbox-agent.connection";

/** Takes the token out of the address, so that it is neither shown, nor shared, nor kept in the history. */
export function takeConnection(
  location: Location,
  history: History,
  storage: Storage,
): Connection | undefined {
  const token = /^#token=([^&]*)/.exec(location.hash)?.[1];
  if (token !== undefined) {
    const connection = { baseUrl: location.origin, token: decodeURIComponent(token) };
    keepConnection(connection, storage);
    history.replaceState(null, "", `${location.pathname}${location.search}#/`);
    return connection;
  }
  return storedConnection(storage);
}

export function keepConnection(connection: Connection, storage: Storage): void {
  storage.setItem(KEY, JSON.stringify(connection));
}

export function forgetConnection(storage: Storage): void {
  storage.removeItem(KEY);
}

function storedConnection(storage: Storage): Connection | undefined {
  const text = storage.getItem(KEY);
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
