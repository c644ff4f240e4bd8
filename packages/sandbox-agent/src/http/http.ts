// Requests to the daemon: address, token, timeouts, retries and errors, the same for every operation.

import { Backoff, type BackoffOptions, sleep } from "acp-http-client/sse";
import { guardBody, uploadBody } from "./body.ts";
import { Deadline } from "./deadline.ts";
import { failure, isTransient } from "./failures.ts";

type Headers = Record<string, string>;

/** How to reach a daemon. */
export interface HttpOptions {
  /** Address of the daemon, such as `http://127.0.0.1:2468`. A path prefix of a gateway may follow. */
  baseUrl: string;
  /** Token of the daemon. */
  token?: string | undefined;
  /** Header that carries the token. Use `X-Sandbox-Agent-Token` behind a gateway that owns `Authorization`. */
  tokenHeader?: "Authorization" | "X-Sandbox-Agent-Token" | undefined;
  /** Additional headers of every request, or a function that returns them, such as for tokens that expire. */
  headers?: Headers | (() => Headers | Promise<Headers>) | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Longest time for a call in milliseconds, 30,000 by default. Calls that wait for an agent have no limit. */
  timeoutMs?: number | undefined;
  /** Back-off of calls that are safe to repeat: 6 attempts between 200 ms and 5 s by default. */
  retry?: BackoffOptions | undefined;
  /** Back-off of streams that broke: 40 attempts in a row between 200 ms and 10 s by default. */
  reconnect?: BackoffOptions | undefined;
}

/** Options of a single call. */
export interface RequestOptions {
  /** Aborts the call. The call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Longest time for this call in milliseconds; 0 means no limit. */
  timeoutMs?: number | undefined;
}

/** A value that is percent-encoded already, such as the path of a file whose name is not UTF-8. */
export interface EncodedValue {
  encoded: string;
}

export type QueryValue = string | number | boolean | undefined | EncodedValue | readonly (string | number)[];

export interface Call extends RequestOptions {
  query?: Record<string, QueryValue> | undefined;
  headers?: Headers | undefined;
  /** Body that is sent as JSON. */
  json?: unknown;
  /** Body that is sent as it is. */
  body?: BodyInit | undefined;
  /** Allows repeating the call after a failure. By default all methods but POST and PATCH. */
  repeatable?: boolean | undefined;
}

const DEFAULT_TIMEOUT_MS = 30_000;
export const DEFAULT_RECONNECT: BackoffOptions = { initialMs: 200, maxMs: 10_000, attempts: 40 };
const DEFAULT_RETRY: BackoffOptions = { initialMs: 200, maxMs: 5_000, attempts: 6 };

export class Http {
  #options: HttpOptions;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  get options(): HttpOptions {
    return this.#options;
  }

  get baseUrl(): string {
    return this.#options.baseUrl.replace(/\/+$/, "");
  }

  /** Sends later requests, those of open streams included, to another address. */
  retarget(options: HttpOptions): void {
    this.#options = options;
  }

  /** Returns the address of a path with its query. Parameters that are undefined are left out. */
  url(path: string, query: Record<string, QueryValue> = {}): string {
    const search: string[] = [];
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined) continue;
      for (const one of Array.isArray(value) ? value : [value]) search.push(parameter(name, one));
    }
    return `${this.baseUrl}${path}${search.length === 0 ? "" : `?${search.join("&")}`}`;
  }

  /** Returns the headers that authenticate a request. */
  async headers(): Promise<Headers> {
    const { token, tokenHeader = "Authorization", headers } = this.options;
    const own = typeof headers === "function" ? await headers() : headers;
    if (token === undefined) return { ...own };
    return { ...own, [tokenHeader]: tokenHeader === "Authorization" ? `Bearer ${token}` : token };
  }

  /** Sends a request and returns the JSON of the answer. */
  async json<T>(method: string, path: string, call: Call = {}): Promise<T> {
    return this.send(method, path, call, async (response) => (await response.json()) as T);
  }

  /** Sends a request whose answer has no content. */
  async empty(method: string, path: string, call: Call = {}): Promise<void> {
    return this.send(method, path, call, async (response) => {
      await response.arrayBuffer();
    });
  }

  /** Sends a request and reads the answer with a function. The timeout covers both. */
  async send<T>(method: string, path: string, call: Call, read: Read<T>): Promise<T> {
    return this.#attempt(method, path, call, async (response, deadline) => {
      const result = await read(response);
      deadline.release();
      return result;
    });
  }

  /** Sends a request and returns the answer once its status is known. The timeout does not cover the body. */
  async response(method: string, path: string, call: Call = {}): Promise<Response> {
    return this.#attempt(method, path, call, (response, deadline) => {
      deadline.stopTimer();
      return response;
    });
  }

  /** Sends a request and returns the body of the answer. The timeout counts from the last byte that was received. */
  async stream(method: string, path: string, call: Call = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#attempt(method, path, call, (response, deadline) =>
      guardBody(response, deadline, `${method} ${path}`),
    );
  }

  #fetch(url: string, init: RequestInit): Promise<Response> {
    // Some runtimes refuse to call `fetch` as a method of another object.
    const { fetch: send = globalThis.fetch } = this.#options;
    return send(url, init);
  }

  async #attempt<T>(method: string, path: string, call: Call, read: Answer<T>): Promise<T> {
    const backoff = new Backoff(this.options.retry ?? DEFAULT_RETRY);
    const repeatable = call.repeatable ?? (method !== "POST" && method !== "PATCH");
    for (;;) {
      try {
        return await this.#once(method, path, call, read);
      } catch (error) {
        // A stream is gone once a part of it was sent.
        const again = repeatable && !(call.body instanceof ReadableStream) && isTransient(error);
        const delay = again ? backoff.next() : undefined;
        if (delay === undefined) throw error;
        await sleep(delay, call.signal);
      }
    }
  }

  async #once<T>(method: string, path: string, call: Call, read: Answer<T>): Promise<T> {
    const timeoutMs = call.timeoutMs ?? this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const deadline = new Deadline(call.signal, timeoutMs);
    try {
      const headers: Headers = { Accept: "application/json", ...(await this.headers()), ...call.headers };
      const init: RequestInit = { method, headers, signal: deadline.signal };
      if (call.json !== undefined) {
        headers["Content-Type"] = "application/json";
        init.body = JSON.stringify(call.json);
      } else if (call.body !== undefined) {
        Object.assign(init, await uploadBody(call.body));
      }
      const response = await this.#fetch(this.url(path, call.query), init);
      if (!response.ok) throw await failure(response);
      return await read(response, deadline);
    } catch (error) {
      deadline.release();
      throw deadline.explain(error, `${method} ${path}`);
    }
  }
}

/** Reads an answer. */
type Read<T> = (response: Response) => T | Promise<T>;

/** Reads an answer, and releases the deadline if nothing of the answer is left. */
type Answer<T> = (response: Response, deadline: Deadline) => T | Promise<T>;

function parameter(name: string, value: unknown): string {
  if (typeof value === "object" && value !== null && "encoded" in value) return `${name}=${value.encoded}`;
  return new URLSearchParams({ [name]: String(value) }).toString();
}
