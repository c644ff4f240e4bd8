// Stands in for DNS and TLS: requests to a provider's public names go to its fake on loopback.

type Fetch = typeof fetch;

/**
 * Replaces the global `fetch` until the result is disposed of.
 *
 * @param resolve Returns the server for a host name, or nothing if the name is not the provider's.
 */
export function routeNames(resolve: (host: string) => string | undefined): Disposable {
  const real: Fetch = globalThis.fetch;
  const routed: Fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const server = resolve(url.host);
    if (server === undefined) return real(input, init);
    const { dispatcher: _, ...rest } = (init ?? {}) as RequestInit & { dispatcher?: unknown };
    const headers = new Headers(rest.headers);
    headers.set("X-Forwarded-Host", url.host);
    return real(`${server}${url.pathname}${url.search}`, { ...rest, headers });
  };
  globalThis.fetch = routed;
  return {
    [Symbol.dispose]: () => {
      globalThis.fetch = real;
    },
  };
}
