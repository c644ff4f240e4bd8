// The connection of a client to its agent: made once, lost with the agent or the daemon, and made again by the next call.

import {
  AcpPeer,
  type CloseReason,
  ConnectionClosedError,
  httpTransport,
  type TransportEvent,
} from "acp-http-client";
import { sleep } from "acp-http-client/sse";
import type { Http } from "../http/http.ts";
import { AgentEndedError, AlreadyConnectedError, clientError, NotConnectedError } from "./errors.ts";
import { injectMetadata, isObject } from "./metadata.ts";
import type { CallOptions } from "./types.ts";

/** Longest wait for the end of an agent that is said to have ended. */
const EXIT_MS = 2_000;

/** Capabilities that the agent reports. */
export interface AgentAbilities {
  readonly load: boolean;
  readonly resume: boolean;
  readonly fork: boolean;
  readonly close: boolean;
}

export interface LinkOptions {
  http: Http;
  agent: string;
  serverId: string;
  keepAgent: boolean;
  onRequest(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
  onNotification(method: string, params: Record<string, unknown>): void;
  onEvent(event: TransportEvent): void;
  /** The connection was lost. The next call makes another one. */
  onLost(reason: CloseReason): void;
}

interface Live {
  readonly peer: AcpPeer;
  readonly abilities: AgentAbilities;
  /** Counts connections, so that sessions of an earlier one are recognized. */
  readonly generation: number;
}

type State =
  | { kind: "disconnected"; cause?: unknown }
  | { kind: "connecting"; live: Promise<Live>; peer: AcpPeer }
  | { kind: "connected"; live: Live }
  | { kind: "lost" };

export class Link {
  readonly #options: LinkOptions;
  #state: State = { kind: "disconnected" };
  #generation = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#state.kind === "connected" || this.#state.kind === "lost";
  }

  /** Makes the first connection. */
  async connect(options: CallOptions = {}): Promise<void> {
    if (this.#state.kind !== "disconnected") throw new AlreadyConnectedError();
    await this.#open(options, (cause) => ({ kind: "disconnected", cause }));
  }

  /** Returns the connection, after waiting for it or making it again if it was lost. */
  async live(options: CallOptions = {}): Promise<Live> {
    switch (this.#state.kind) {
      case "connected":
        return this.#state.live;
      case "connecting":
        return abortable(this.#state.live, options.signal);
      case "lost":
        // Others may wait for the same connection, so the signal of one call does not end it.
        return abortable(
          this.#open({}, () => ({ kind: "lost" })),
          options.signal,
        );
      case "disconnected":
        throw new NotConnectedError({ cause: this.#state.cause });
    }
  }

  /** Sends a request to the agent. */
  async request(method: string, params: object, options: CallOptions = {}): Promise<Record<string, unknown>> {
    const live = await this.live(options);
    try {
      return await send(live, method, params, options);
    } catch (error) {
      if (!wasTooLate(error)) throw await this.#settled(live.peer, clientError(error));
      this.#lose(live.peer, error.reason);
    }
    const { peer } = await this.live(options);
    try {
      return await send({ peer }, method, params, options);
    } catch (error) {
      throw clientError(error);
    }
  }

  async notify(method: string, params: object): Promise<void> {
    const { peer } = await this.live();
    try {
      await peer.notify(method, params);
    } catch (error) {
      throw clientError(error);
    }
  }

  /** Ends the connection, and the agent unless it is to be kept. Does nothing if there is none. */
  async disconnect(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: "disconnected" };
    if (state.kind === "connected") await state.live.peer.close();
    if (state.kind === "connecting") await state.peer.close();
  }

  #open(options: CallOptions, failed: (cause: unknown) => State): Promise<Live> {
    const { http, agent, serverId, keepAgent } = this.#options;
    const { fetch, reconnect, retry } = http.options;
    const transport = httpTransport({
      url: http.url(`/v1/acp/${encodeURIComponent(serverId)}`),
      headers: () => http.headers(),
      start: { agent },
      deleteOnClose: !keepAgent,
      ...(fetch === undefined ? {} : { fetch }),
      ...(reconnect === undefined ? {} : { reconnect }),
      ...(retry === undefined ? {} : { retry }),
    });
    const peer = new AcpPeer(transport, {
      onRequest: (method, params, { signal }) =>
        this.#options.onRequest(method, isObject(params) ? params : {}, signal),
      onNotification: (method, params) =>
        this.#options.onNotification(method, isObject(params) ? params : {}),
      onEvent: (event) => {
        this.#options.onEvent(event);
        // Calls that are made from now on need another connection, also those that the failure of others leads to.
        if (event.type === "exit") this.#lose(peer, { kind: "exit", exit: event.exit });
        if (event.type === "closed") this.#lose(peer, event.reason);
      },
    });
    const live = this.#greet(peer, options);
    const connecting: State = { kind: "connecting", live, peer };
    this.#state = connecting;
    live.then(
      (made) => {
        if (this.#state === connecting) this.#state = { kind: "connected", live: made };
      },
      (cause: unknown) => {
        if (this.#state === connecting) this.#state = failed(cause);
      },
    );
    return live;
  }

  async #greet(peer: AcpPeer, options: CallOptions): Promise<Live> {
    this.#generation += 1;
    const generation = this.#generation;
    const params = {
      protocolVersion: 1,
      clientInfo: { name: "sandbox-agent", version: "0.1.0" },
      clientCapabilities: { elicitation: { form: {}, url: {} } },
    };
    try {
      const greeting = await peer.request(
        "initialize",
        injectMetadata(params, { agent: this.#options.agent }),
        options,
      );
      return { peer, abilities: abilitiesOf(greeting), generation };
    } catch (error) {
      await peer.close();
      throw clientError(error);
    }
  }

  /** The answer for an agent that ended comes before the end itself. Later calls must not meet the dead connection. */
  async #settled(peer: AcpPeer, error: unknown): Promise<unknown> {
    if (!(error instanceof AgentEndedError)) return error;
    const limit = new AbortController();
    const late = sleep(EXIT_MS, limit.signal).catch(() => undefined);
    await Promise.race([peer.closed, late]);
    limit.abort();
    return error;
  }

  #lose(peer: AcpPeer, reason: CloseReason): void {
    if (this.#state.kind !== "connected" || this.#state.live.peer !== peer) return;
    this.#state = { kind: "lost" };
    this.#options.onLost(reason);
  }
}

async function send(
  { peer }: { peer: AcpPeer },
  method: string,
  params: object,
  options: CallOptions,
): Promise<Record<string, unknown>> {
  const result = await peer.request(method, params, options);
  return isObject(result) ? result : {};
}

/** Returns whether a request met a connection that had just been lost, and so was never sent. */
function wasTooLate(error: unknown): error is ConnectionClosedError {
  if (!(error instanceof ConnectionClosedError) || error.outcome !== "not-sent") return false;
  return error.reason.kind === "gone" || error.reason.kind === "failed";
}

/** Settles with the promise, or rejects with the signal's reason as soon as it aborts. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function abilitiesOf(greeting: unknown): AgentAbilities {
  const capabilities = isObject(greeting) ? greeting["agentCapabilities"] : undefined;
  const all = isObject(capabilities) ? capabilities : {};
  const sessions = isObject(all["sessionCapabilities"]) ? all["sessionCapabilities"] : {};
  const has = (name: string): boolean => sessions[name] !== undefined && sessions[name] !== null;
  return { load: all["loadSession"] === true, resume: has("resume"), fork: has("fork"), close: has("close") };
}
