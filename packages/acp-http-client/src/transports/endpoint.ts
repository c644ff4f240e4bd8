// The HTTP side of a server: address, headers, cookies, and errors with a type.

import { AcpTransportError, DeliveryError, HttpStatusError } from "../errors.ts";
import { CookieJar } from "./cookies.ts";

export type HeaderSource =
  | Record<string, string>
  | (() => Record<string, string> | Promise<Record<string, string>>);

export interface EndpointOptions {
  /** Address of the server. */
  url: string | URL;
  /** Headers of every request, or a function that returns them, such as for tokens that expire. */
  headers?: HeaderSource | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Cookies in a browser; the default of `fetch` if absent. Elsewhere, cookies are kept for the connection. */
  credentials?: RequestCredentials | undefined;
}

export interface EndpointRequest {
  headers?: Record<string, string> | undefined;
  query?: Record<string, string> | undefined;
  body?: string | undefined;
  signal: AbortSignal;
}

/** Start of an error's body that is kept. */
const MAX_ERROR_BYTES = 64 * 1024;

export class Endpoint {
  readonly #options: EndpointOptions;
  readonly #cookies = new CookieJar();

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  /** Returns the headers of the caller and the cookies that the server has set. */
  async headers(): Promise<Record<string, string>> {
    const { headers } = this.#options;
    const own = typeof headers === "function" ? await callHeaders(headers) : headers;
    const cookie = this.#cookies.header;
    return { ...own, ...(cookie === undefined ? {} : { Cookie: cookie }) };
  }

  /** Sends a request. Resolves with any status, and rejects as `fetch` does. */
  async fetch(method: string, request: EndpointRequest): Promise<Response> {
    const headers = { ...(await this.headers()), ...request.headers };
    request.signal.throwIfAborted();
    // Some runtimes refuse to call `fetch` as a method of another object.
    const { fetch: send = globalThis.fetch, credentials } = this.#options;
    const response = await send(withQuery(this.#options.url, request.query), {
      method,
      headers,
      signal: request.signal,
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(credentials === undefined ? {} : { credentials }),
    });
    this.#cookies.store(response.headers);
    return response;
  }
}

async function callHeaders(headers: Extract<HeaderSource, () => unknown>): Promise<Record<string, string>> {
  try {
    return await headers();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new DeliveryError(`getting the headers failed: ${detail}`, "not-sent", { cause: error });
  }
}

/** Adds parameters to the query of an address. */
export function withQuery(url: string | URL, query: Record<string, string> = {}): string {
  const result = new URL(url);
  for (const [name, value] of Object.entries(query)) result.searchParams.set(name, value);
  return result.href;
}

/** Returns the error for a status that is no success, with the start of the body. */
export async function statusError(response: Response, what: string): Promise<HttpStatusError> {
  const body = await readText(response, MAX_ERROR_BYTES).catch(() => "");
  return new HttpStatusError(response.status, response.headers, body, what);
}

/** Reads a body up to a limit and drops the rest. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  while (bytes < maxBytes) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  reader.cancel().catch(() => undefined);
  return text.slice(0, maxBytes);
}

/** Releases a response whose body does not matter. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined);
}

/** Returns the typed error for one that `fetch` threw. */
export function deliveryError(error: unknown, what: string): AcpTransportError {
  if (error instanceof AcpTransportError) return error;
  const detail = error instanceof Error ? innermost(error).message : String(error);
  return new DeliveryError(`${what} failed: ${detail}`, wasNeverSent(error) ? "not-sent" : "unknown", {
    cause: error,
  });
}

/** Codes of failures before anything was sent. Browsers give none, so their failures are ambiguous. */
const CONNECT_FAILURES = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
  "FailedToOpenSocket",
]);

function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string" && CONNECT_FAILURES.has(error.code)) return true;
  return wasNeverSent(error.cause);
}

function innermost(error: Error): Error {
  return error.cause instanceof Error && error.cause.message !== "" ? innermost(error.cause) : error;
}
