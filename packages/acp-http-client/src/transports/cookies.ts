// Cookies of gateways that route all requests of a connection to one machine. Browsers keep them without our help.

/** Keeps the cookies of one endpoint for as long as a connection lives. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** Takes over the cookies that a response sets. */
  store(headers: Headers): void {
    for (const line of headers.getSetCookie?.() ?? []) {
      const [pair = "", ...attributes] = line.split(";");
      const equals = pair.indexOf("=");
      if (equals <= 0) continue;
      const name = pair.slice(0, equals).trim();
      if (attributes.some((attribute) => /^\s*max-age\s*=\s*(0|-\d+)\s*$/i.test(attribute)))
        this.#cookies.delete(name);
      else this.#cookies.set(name, pair.slice(equals + 1).trim());
    }
  }

  /** Returns the header of the next request. */
  get header(): string | undefined {
    if (this.#cookies.size === 0) return undefined;
    return Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join("; ");
  }
}
