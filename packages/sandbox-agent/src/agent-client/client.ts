// One agent behind one connection, with the sessions that this client knows.

import { type CloseReason, JsonRpcError, type TransportEvent } from "acp-http-client";
import { Agents } from "../agents/agents.ts";
import { type ConnectOptions, SandboxAgent } from "../client.ts";
import { Config } from "../config/config.ts";
import { Files } from "../files/files.ts";
import type { Health } from "../generated/openapi.gen.ts";
import { Http, type RequestOptions } from "../http/http.ts";
import type { ListQuery, PersistDriver, SessionFields } from "../persist/driver.ts";
import { memory } from "../persist/memory.ts";
import { ensureRecord, updateRecord } from "../persist/records.ts";
import { Processes } from "../processes/processes.ts";
import { configOptions, listedSession, modelsOf, openedSession } from "./convert.ts";
import { Emitter, type Listener } from "./emitter.ts";
import { UnsupportedCallError } from "./errors.ts";
import { Link } from "./link.ts";
import { extractMetadata, injectMetadata, isObject, type Metadata } from "./metadata.ts";
import { PermissionAsk, QuestionAsk } from "./requests.ts";
import type {
  CallOptions,
  ClientEvents,
  ConfigOption,
  ListedSession,
  Models,
  NewSessionOptions,
  OpenedSession,
  OpenSessionOptions,
  PromptPart,
  PromptResult,
  SandboxAgentClientOptions,
  SessionEndedEvent,
} from "./types.ts";
import { UpdateLog } from "./update-log.ts";

const METHOD_NOT_FOUND = -32601;

/** A session that was opened by this client. */
interface Opened {
  cwd: string;
  mcpServers: readonly unknown[];
  /** Connection that it was opened on. On a later one it is resumed first. */
  generation: number;
  configOptions: readonly ConfigOption[];
}

/**
 * Talks to one agent directly. Most programs want `SandboxAgent` and its sessions instead, whose log outlives everything.
 *
 * @example
 * const client = new SandboxAgentClient({ baseUrl, token, agent: "claude" });
 * client.on("sessionUpdate", ({ kind, update }) => render(kind, update));
 * const { sessionId } = await client.newSession({ cwd: "/repo" });
 * await client.prompt({ sessionId, prompt: "Fix the failing test" });
 */
export class SandboxAgentClient implements AsyncDisposable {
  readonly agent: string;
  readonly agents: Agents;
  readonly fs: Files;
  readonly processes: Processes;
  readonly config: Config;
  /** Resolves once the first connection is made. Rejects if it could not be made. */
  readonly ready: Promise<void>;
  readonly #http: Http;
  readonly #link: Link;
  readonly #store: PersistDriver;
  readonly #log: UpdateLog;
  readonly #events = new Emitter<ClientEvents>();
  readonly #sessions = new Map<string, Opened>();
  readonly #detached = new Set<string>();
  readonly #answerRequests: boolean;
  #release: (() => Promise<void>) | undefined;

  constructor(options: SandboxAgentClientOptions) {
    const {
      agent,
      autoConnect = true,
      serverId = `client-${crypto.randomUUID()}`,
      keepAgent = false,
    } = options;
    this.agent = agent;
    this.#http = new Http(options);
    this.#store = options.persist ?? memory();
    this.#log = new UpdateLog(this.#store, (error) => this.#events.emit("error", error));
    this.#answerRequests = options.answerRequests ?? true;
    this.agents = new Agents(this.#http);
    this.fs = new Files(this.#http);
    this.processes = new Processes(this.#http);
    this.config = new Config(this.#http);
    this.#link = new Link({
      http: this.#http,
      agent,
      serverId,
      keepAgent,
      onRequest: (method, params, signal) => this.#onRequest(method, params, signal),
      onNotification: (method, params) => this.#onNotification(method, params),
      onEvent: (event) => this.#onEvent(event),
      onLost: (reason) => this.#onLost(reason),
    });
    this.ready = autoConnect ? this.#link.connect() : Promise.resolve();
    // Calls report the failure as well, and nobody has to look here.
    this.ready.catch(() => undefined);
  }

  /** Connects to a daemon, or starts one as a child process if there is no `baseUrl`, and to an agent. */
  static async connect(
    options: ConnectOptions & Omit<SandboxAgentClientOptions, "baseUrl" | "autoConnect">,
  ): Promise<SandboxAgentClient> {
    const daemon = await SandboxAgent.connect(options);
    const { baseUrl, token } = daemon;
    const client = new SandboxAgentClient({ ...options, baseUrl, token, autoConnect: false });
    client.#release = () => daemon.dispose();
    try {
      await client.connect({ signal: options.signal });
      return client;
    } catch (error) {
      await daemon.dispose();
      throw error;
    }
  }

  /** Connects to the agent. Throws an `AlreadyConnectedError` if the client is connected. */
  async connect(options: CallOptions = {}): Promise<void> {
    await this.#link.connect(options);
  }

  /** Ends the connection and the agent. Pending calls reject. Later ones reject until `connect` is called. */
  async disconnect(): Promise<void> {
    await this.#link.disconnect();
    this.#sessions.clear();
    this.#detached.clear();
    await this.#log.flush();
    const release = this.#release;
    this.#release = undefined;
    await release?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect();
  }

  get isConnected(): boolean {
    return this.#link.isConnected;
  }

  /** Adds a listener. Returns a function that removes it. */
  on<K extends keyof ClientEvents>(name: K, listener: Listener<ClientEvents[K]>): () => void {
    return this.#events.on(name, listener);
  }

  /** Gets the health of the daemon. */
  async health(options: RequestOptions = {}): Promise<Health> {
    return this.#http.json("GET", "/v1/health", options);
  }

  /** Creates a session. */
  async newSession(options: NewSessionOptions, call: CallOptions = {}): Promise<OpenedSession> {
    const { cwd, mcpServers = [], title, metadata = {} } = options;
    const own = { agent: this.agent, ...(title === undefined ? {} : { title }), ...metadata };
    const answer = await this.#link.request("session/new", injectMetadata({ cwd, mcpServers }, own), call);
    const opened = openedSession(String(answer["sessionId"]), this.agent, answer);
    return this.#keep(opened, { cwd, mcpServers }, { title, metadata });
  }

  /** Opens a session of the agent again. Its history comes as `sessionUpdate` events. */
  async loadSession(options: OpenSessionOptions, call: CallOptions = {}): Promise<OpenedSession> {
    return this.#open("session/load", options, call);
  }

  /** Opens a session of the agent again, without its history. */
  async resumeSession(options: OpenSessionOptions, call: CallOptions = {}): Promise<OpenedSession> {
    return this.#open("session/resume", options, call);
  }

  /** Copies a session with its history, where the agent can do that. */
  async forkSession(
    options: OpenSessionOptions & { metadata?: Metadata },
    call: CallOptions = {},
  ): Promise<OpenedSession> {
    const { abilities } = await this.#link.live(call);
    if (!abilities.fork) throw new UnsupportedCallError(`agent '${this.agent}' cannot fork sessions`);
    const { metadata = {}, ...rest } = options;
    const place = await this.#placeOf(rest);
    const params = injectMetadata(
      { sessionId: options.sessionId, ...place },
      { agent: this.agent, ...metadata },
    );
    const answer = await this.#link.request("session/fork", params, call);
    const opened = openedSession(String(answer["sessionId"]), this.agent, answer);
    return this.#keep(opened, place, { title: undefined, metadata });
  }

  /** Sends a prompt and waits for the end of the turn. */
  async prompt(
    options: { sessionId: string; prompt: string | readonly PromptPart[] },
    call: CallOptions = {},
  ): Promise<PromptResult> {
    const { sessionId } = options;
    await this.#revive(sessionId, call);
    const prompt =
      typeof options.prompt === "string" ? [{ type: "text", text: options.prompt }] : options.prompt;
    const answer = await this.#link.request("session/prompt", { sessionId, prompt }, call);
    return { stopReason: String(answer["stopReason"] ?? "unknown"), metadata: extractMetadata(answer) };
  }

  /** Cancels the running turn, whose `prompt` then resolves with `cancelled`. */
  async cancel({ sessionId }: { sessionId: string }): Promise<void> {
    await this.#link.notify("session/cancel", { sessionId });
  }

  /** Switches the mode. */
  async setSessionMode(
    { sessionId, modeId }: { sessionId: string; modeId: string },
    call: CallOptions = {},
  ): Promise<void> {
    await this.#revive(sessionId, call);
    await this.#link.request("session/set_mode", { sessionId, modeId }, call);
    await this.#note(sessionId, { mode: modeId });
  }

  /** Changes a setting. Returns all settings, as one may change others. */
  async setSessionConfigOption(
    { sessionId, configId, value }: { sessionId: string; configId: string; value: string | boolean },
    call: CallOptions = {},
  ): Promise<readonly ConfigOption[]> {
    await this.#revive(sessionId, call);
    const kind = typeof value === "boolean" ? { type: "boolean" } : {};
    const answer = await this.#link.request(
      "session/set_config_option",
      { sessionId, configId, value, ...kind },
      call,
    );
    const options = configOptions(answer);
    this.#learn(sessionId, options);
    const { current } = modelsOf(options);
    if (current !== undefined) await this.#note(sessionId, { model: current });
    return options;
  }

  /** Switches the model. */
  async setSessionModel(
    { sessionId, modelId }: { sessionId: string; modelId: string },
    call: CallOptions = {},
  ): Promise<void> {
    await this.#revive(sessionId, call);
    const option = this.#sessions.get(sessionId)?.configOptions.find(({ category }) => category === "model");
    if (option === undefined) {
      await this.#link.request("session/set_model", { sessionId, modelId }, call);
      await this.#note(sessionId, { model: modelId });
    } else await this.setSessionConfigOption({ sessionId, configId: option.id, value: modelId }, call);
  }

  /** Lists the models that a session can use. */
  async listModels({ sessionId }: { sessionId: string }, call: CallOptions = {}): Promise<Models> {
    await this.#revive(sessionId, call);
    return modelsOf(this.#sessions.get(sessionId)?.configOptions ?? []);
  }

  /** Lists the sessions in the store, the newest first. */
  async listSessions(query: ListQuery = {}): Promise<{ sessions: ListedSession[]; next?: string }> {
    await this.#link.live();
    const { sessions, next } = await this.#store.list(query);
    return { sessions: sessions.map(listedSession), ...(next === undefined ? {} : { next }) };
  }

  /** Merges metadata of a session. `null` removes a member; `title`, `model` and `mode` also set those fields. */
  async setMetadata({
    sessionId,
    metadata,
  }: {
    sessionId: string;
    metadata: Metadata;
  }): Promise<ListedSession> {
    await this.#link.live();
    const record = await updateRecord(this.#store, sessionId, (known) => {
      const merged = Object.entries({ ...known.metadata, ...metadata }).filter(([, value]) => value !== null);
      const fields = ["title", "model", "mode"].filter((key) => typeof metadata[key] === "string");
      return {
        ...known,
        ...Object.fromEntries(fields.map((key) => [key, metadata[key]])),
        metadata: Object.fromEntries(merged),
        updatedAt: new Date().toISOString(),
      };
    });
    return listedSession(record);
  }

  /** Stops receiving updates of a session. The agent keeps it. */
  async detachSession({ sessionId }: { sessionId: string }): Promise<void> {
    await this.#link.live();
    this.#sessions.delete(sessionId);
    this.#detached.add(sessionId);
  }

  /** Ends a session: cancels what runs, and closes it where the agent can do that. */
  async terminateSession({ sessionId }: { sessionId: string }, call: CallOptions = {}): Promise<void> {
    const { abilities } = await this.#link.live(call);
    if (abilities.close) await this.#link.request("session/close", { sessionId }, call);
    else await this.cancel({ sessionId });
    await this.#end({ sessionId, reason: "terminated" });
    await this.#note(sessionId, { endedAt: new Date().toISOString() });
  }

  async #open(
    method: "session/load" | "session/resume",
    options: OpenSessionOptions,
    call: CallOptions,
  ): Promise<OpenedSession> {
    const { sessionId } = options;
    const { generation } = await this.#link.live(call);
    const place = await this.#placeOf(options);
    const known = this.#sessions.get(sessionId);
    // Updates come before the answer.
    this.#detached.delete(sessionId);
    this.#sessions.set(sessionId, { ...place, generation, configOptions: known?.configOptions ?? [] });
    try {
      const answer = await this.#link.request(
        method,
        injectMetadata({ sessionId, ...place }, { agent: this.agent }),
        call,
      );
      return await this.#keep(openedSession(sessionId, this.agent, answer), place, {
        title: undefined,
        metadata: {},
      });
    } catch (error) {
      if (known === undefined) this.#sessions.delete(sessionId);
      else this.#sessions.set(sessionId, known);
      throw error;
    }
  }

  /** Opens a session again that was opened on a connection which is gone. */
  async #revive(sessionId: string, call: CallOptions): Promise<void> {
    const { generation, abilities } = await this.#link.live(call);
    const known = this.#sessions.get(sessionId);
    if (known === undefined || known.generation === generation) return;
    if (abilities.resume) await this.#open("session/resume", { sessionId }, call);
    else if (abilities.load) await this.#open("session/load", { sessionId }, call);
    else throw new UnsupportedCallError(`agent '${this.agent}' cannot open session '${sessionId}' again`);
  }

  async #placeOf({
    sessionId,
    cwd,
    mcpServers,
  }: OpenSessionOptions): Promise<{ cwd: string; mcpServers: readonly unknown[] }> {
    const known = this.#sessions.get(sessionId);
    const directory = cwd ?? known?.cwd ?? (await this.#store.get(sessionId))?.cwd;
    if (directory === undefined) throw new TypeError(`session '${sessionId}' is not in the store; pass cwd`);
    return { cwd: directory, mcpServers: mcpServers ?? known?.mcpServers ?? [] };
  }

  async #keep(
    opened: OpenedSession,
    place: { cwd: string; mcpServers: readonly unknown[] },
    given: { title: string | undefined; metadata: Metadata },
  ): Promise<OpenedSession> {
    const { generation } = await this.#link.live();
    const { sessionId: id, agent, mode } = opened;
    this.#sessions.set(id, { ...place, generation, configOptions: opened.configOptions });
    const now = new Date().toISOString();
    const { current: model } = modelsOf(opened.configOptions);
    const times = { createdAt: now, updatedAt: now };
    const fields = { id, agent, title: given.title, model, mode, cwd: place.cwd, metadata: given.metadata };
    const record = await ensureRecord(this.#store, { ...fields, state: {}, fence: 0, ...times });
    return { ...opened, metadata: { ...opened.metadata, ...record.metadata } };
  }

  #learn(sessionId: string, options: readonly ConfigOption[]): void {
    const known = this.#sessions.get(sessionId);
    if (known !== undefined && options.length > 0)
      this.#sessions.set(sessionId, { ...known, configOptions: options });
  }

  async #note(sessionId: string, change: Partial<SessionFields>): Promise<void> {
    if ((await this.#store.get(sessionId)) === undefined) return;
    const updatedAt = new Date().toISOString();
    await updateRecord(this.#store, sessionId, (record) => ({ ...record, updatedAt, ...change }));
  }

  #onNotification(method: string, params: Record<string, unknown>): void {
    const { sessionId, update } = params;
    if (method !== "session/update" || typeof sessionId !== "string" || !isObject(update)) return;
    if (this.#detached.has(sessionId)) return;
    const kind = String(update["sessionUpdate"]);
    if (kind === "config_option_update") this.#learn(sessionId, configOptions(update));
    this.#log.add(sessionId, update);
    this.#emit("sessionUpdate", { sessionId, kind, update, metadata: extractMetadata(params) });
    const { title } = update;
    if (kind === "session_info_update" && typeof title === "string") {
      this.#note(sessionId, { title }).catch((error: unknown) => this.#events.emit("error", error));
    }
  }

  async #onRequest(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    const metadata = extractMetadata(params);
    if (method === "session/request_permission") {
      return this.#ask("permissionRequest", new PermissionAsk(params, metadata, signal));
    }
    if (method === "elicitation/create")
      return this.#ask("question", new QuestionAsk(params, metadata, signal));
    throw new JsonRpcError(METHOD_NOT_FOUND, `method not found: ${method}`);
  }

  /** Without a listener, or if one fails, nothing may run. */
  #ask<K extends "permissionRequest" | "question">(name: K, ask: ClientEvents[K]): Promise<unknown> {
    if (!this.#answerRequests) return new Promise(() => undefined);
    if (!this.#events.has(name)) ask.reject();
    this.#events.emit(name, ask, (error) => {
      ask.reject();
      this.#events.emit("error", error);
    });
    return ask.answer;
  }

  #onEvent(event: TransportEvent): void {
    if (event.type === "unparsed") {
      const { raw, reason, truncated } = event;
      this.#emit("parseError", { raw, truncated, ...(reason === undefined ? {} : { reason }) });
    }
    if (event.type === "gap") {
      const { oldest, newest } = event;
      this.#emit("gap", {
        ...(oldest === undefined ? {} : { oldest }),
        ...(newest === undefined ? {} : { newest }),
      });
    }
  }

  #onLost(reason: CloseReason): void {
    for (const sessionId of this.#sessions.keys()) {
      this.#emit(
        "sessionEnded",
        reason.kind === "exit"
          ? { sessionId, reason: "agentEnded", exit: reason.exit }
          : { sessionId, reason: "connectionLost" },
      );
    }
  }

  async #end(event: SessionEndedEvent): Promise<void> {
    this.#sessions.delete(event.sessionId);
    this.#emit("sessionEnded", event);
  }

  #emit<K extends keyof ClientEvents>(name: K, event: ClientEvents[K]): void {
    this.#events.emit(name, event, (error) => {
      if (name !== "error") this.#events.emit("error", error);
    });
  }
}
