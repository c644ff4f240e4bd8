// The entry point: a connection to one daemon.

import { Backoff, sleep } from "acp-http-client/sse";
import { Agents } from "./agents/agents.ts";
import { Config } from "./config/config.ts";
import { Servers } from "./daemon/servers.ts";
import { Tickets } from "./daemon/tickets.ts";
import { UsageReports } from "./daemon/usage.ts";
import { TimeoutError } from "./errors/errors.ts";
import { Files } from "./files/files.ts";
import type { Health, Info } from "./generated/openapi.gen.ts";
import { isTransient } from "./http/failures.ts";
import { Http, type HttpOptions, type RequestOptions } from "./http/http.ts";
import type { SpawnOptions } from "./node/options.ts";
import { Processes } from "./processes/processes.ts";
import type { Sandbox, SandboxProvider } from "./providers/provider.ts";
import { Sessions } from "./sessions/sessions.ts";

/** How to connect to a daemon that runs. */
export interface ConnectOptions extends Omit<HttpOptions, "baseUrl"> {
  /** Address of the daemon. Without it, and only on Node.js, Bun and Deno, a daemon is started as a child process. */
  baseUrl?: string | undefined;
  /** Starts a daemon as a child process, with these options. By default only if there is no `baseUrl`. */
  spawn?: boolean | SpawnOptions | undefined;
  /** Longest wait until the daemon is healthy in milliseconds, 15,000 by default; 0 does not wait and sends nothing. */
  healthTimeoutMs?: number | undefined;
  /** Aborts the connection attempt. */
  signal?: AbortSignal | undefined;
}

/** How to start a daemon in a sandbox. */
export interface StartOptions extends Omit<HttpOptions, "baseUrl" | "tokenHeader"> {
  /** Provider of the sandbox, such as `docker()` from `sandbox-agent/docker`. */
  sandbox: SandboxProvider;
  /** Id of a sandbox that exists, to connect to it again. Needs the `token` that it was created with. */
  sandboxId?: string | undefined;
  /** Token of the daemon; random by default. Keep it, together with `client.sandbox.id`, to connect again later. */
  token?: string | undefined;
  /** Keeps the sandbox when the client is disposed of. By default it is destroyed if this call created it. */
  keep?: boolean | undefined;
  /** Aborts the start and destroys everything that was created until then. */
  signal?: AbortSignal | undefined;
}

/** A resource that is released together with the client. */
type Release = () => Promise<void>;

/**
 * A client of one daemon.
 *
 * @example
 * const client = await SandboxAgent.connect({ baseUrl: "http://127.0.0.1:2468", token });
 * const session = await client.sessions.create({ agent: "claude", cwd: "/repo" });
 * const { text } = await session.send("Fix the failing test").done;
 */
export class SandboxAgent implements AsyncDisposable {
  readonly sessions: Sessions;
  readonly agents: Agents;
  /** Files of the sandbox. */
  readonly fs: Files;
  readonly processes: Processes;
  /** MCP servers and skills of directories. */
  readonly config: Config;
  /** Agent processes, those of sessions included. */
  readonly servers: Servers;
  readonly tickets: Tickets;
  /** Tokens and cost over all sessions. */
  readonly usage: UsageReports;
  /** The sandbox of a client that was made by `start`. */
  readonly sandbox: Sandbox | undefined;
  readonly #http: Http;
  readonly #token: string | undefined;
  #release: Release | undefined;

  private constructor(http: Http, sandbox?: Sandbox, release?: Release) {
    this.#http = http;
    this.#token = http.options.token;
    this.#release = release;
    this.sandbox = sandbox;
    this.sessions = new Sessions(http);
    this.agents = new Agents(http);
    this.fs = new Files(http);
    this.processes = new Processes(http);
    this.config = new Config(http);
    this.servers = new Servers(http);
    this.tickets = new Tickets(http);
    this.usage = new UsageReports(http);
  }

  /** Connects to a daemon and waits until it is healthy. Throws a `TokenInvalidError` if the token is wrong. */
  static async connect(options: ConnectOptions = {}): Promise<SandboxAgent> {
    const { baseUrl, spawn = baseUrl === undefined, healthTimeoutMs = 15_000, signal } = options;
    if (spawn !== false) return SandboxAgent.#embed(options, spawn === true ? {} : spawn);
    if (baseUrl === undefined) throw new TypeError("connect needs a baseUrl if spawn is false");
    const http = new Http({ ...options, baseUrl });
    if (healthTimeoutMs > 0) await waitForHealth(http, healthTimeoutMs, signal);
    return new SandboxAgent(http);
  }

  /** Returns a client of a daemon without sending anything, such as where nothing can be awaited. */
  static open(options: HttpOptions): SandboxAgent {
    return new SandboxAgent(new Http(options));
  }

  /** Starts a daemon in a sandbox, always with a token, and connects to it. */
  static async start(options: StartOptions): Promise<SandboxAgent> {
    const {
      sandbox: provider,
      sandboxId,
      token = randomToken(),
      keep = sandboxId !== undefined,
      signal,
    } = options;
    const sandbox = await open(provider, sandboxId, { token, signal });
    try {
      const http = new Http(await target(options, sandbox, token));
      await waitForHealth(http, 15_000, signal);
      const own = follow(sandbox, async () => http.retarget(await target(options, sandbox, token)));
      return new SandboxAgent(http, own, keep ? undefined : () => sandbox.destroy());
    } catch (error) {
      if (sandboxId === undefined) await sandbox.destroy().catch(() => {});
      throw error;
    }
  }

  static async #embed(options: ConnectOptions, spawn: SpawnOptions): Promise<SandboxAgent> {
    const { startEmbedded } = await import("sandbox-agent/node");
    const { token, signal, healthTimeoutMs } = options;
    // A daemon that was just started has to be waited for, so 0 has its default.
    const own = { token, signal, ...(healthTimeoutMs === 0 ? {} : { healthTimeoutMs }) };
    const daemon = await startEmbedded({ ...own, ...spawn });
    const http = new Http({ ...options, baseUrl: daemon.baseUrl, token: daemon.token });
    return new SandboxAgent(http, undefined, () => daemon.dispose());
  }

  /** Address of the daemon. */
  get baseUrl(): string {
    return this.#http.baseUrl;
  }

  /** Token of the daemon. */
  get token(): string | undefined {
    return this.#token;
  }

  /** Gets the health of the daemon. */
  async health(options: RequestOptions = {}): Promise<Health> {
    return this.#http.json("GET", "/v1/health", options);
  }

  /** Gets the name and version of the daemon. */
  async info(options: RequestOptions = {}): Promise<Info> {
    return this.#http.json("GET", "/", options);
  }

  /** Gets the metrics of the daemon as OpenMetrics text. */
  async metrics(options: RequestOptions = {}): Promise<string> {
    const call = { ...options, headers: { Accept: "*/*" } };
    return this.#http.send("GET", "/metrics", call, (response) => response.text());
  }

  /** Gets the OpenAPI document of the daemon. */
  async openapi(options: RequestOptions = {}): Promise<Record<string, unknown>> {
    return this.#http.json("GET", "/v1/openapi.json", options);
  }

  /** Ends the daemon or sandbox that this client started. Otherwise there is nothing to release. */
  async dispose(): Promise<void> {
    const release = this.#release;
    this.#release = undefined;
    await release?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }
}

/** Waits until the daemon answers and accepts the token. Failures that would not pass with time are thrown at once. */
async function waitForHealth(http: Http, timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
  const until = performance.now() + timeoutMs;
  const backoff = new Backoff({ initialMs: 50, maxMs: 1_000 });
  let cause: unknown;
  for (let left = timeoutMs; left > 0; left = until - performance.now()) {
    try {
      await http.json("GET", "/v1/sessions", {
        query: { limit: 1 },
        timeoutMs: left,
        signal,
        repeatable: false,
      });
      return;
    } catch (error) {
      if (!isTransient(error) && !(error instanceof TimeoutError)) throw error;
      cause = isTransient(error) ? error : (cause ?? error);
      await sleep(backoff.next() ?? 0, signal);
    }
  }
  throw new TimeoutError(`${http.baseUrl} was not healthy within ${timeoutMs} ms`, { cause });
}

async function open(
  provider: SandboxProvider,
  id: string | undefined,
  options: { token: string; signal: AbortSignal | undefined },
): Promise<Sandbox> {
  if (id === undefined) return provider.create(options);
  if (provider.reconnect === undefined)
    throw new TypeError(`${provider.name} cannot connect to a sandbox again`);
  return provider.reconnect(id, options);
}

/** Combines the caller's options with the way to the sandbox. */
async function target(options: StartOptions, sandbox: Sandbox, token: string): Promise<HttpOptions> {
  const endpoint = await sandbox.endpoint();
  const { headers: own } = options;
  const headers = async (): Promise<Record<string, string>> => ({
    ...endpoint.headers,
    ...(typeof own === "function" ? await own() : own),
  });
  return { ...options, ...endpoint, headers, token, fetch: options.fetch ?? endpoint.fetch };
}

/** Addresses and gateway tokens may change while a sandbox is paused. */
function follow(sandbox: Sandbox, moved: () => Promise<void>): Sandbox {
  const { resume } = sandbox;
  if (resume === undefined) return sandbox;
  const resumed = async (): Promise<void> => {
    await resume.call(sandbox);
    await moved();
  };
  // Methods are called on the sandbox itself: it may be a class with private fields.
  return new Proxy(sandbox, {
    get: (target, key): unknown => {
      if (key === "resume") return resumed;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function randomToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
