// The agents of a daemon: find, install, update, remove, and ask for their models and modes.

import type {
  AgentInfo,
  AgentList,
  AgentModels,
  AgentModes,
  InstallAgent,
  LatestVersion,
  UninstalledAgent,
} from "../generated/openapi.gen.ts";
import type { Http, RequestOptions } from "../http/http.ts";
import { Installation } from "./installation.ts";

/** Options of calls that may ask the agents themselves. */
export interface AgentQuery {
  /** Returns the models, modes and efforts of installed agents as well, which takes seconds. */
  config?: boolean | undefined;
  /** Asks the agents again instead of using earlier answers. */
  noCache?: boolean | undefined;
}

/** Options of `agents.install`. */
export type InstallOptions = Omit<InstallAgent, "agentProcessVersion">;

export class Agents {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /** Lists all agents that the daemon knows, installed or not. */
  async list(query: AgentQuery = {}, options: RequestOptions = {}): Promise<AgentInfo[]> {
    const call = { ...patience(query), ...options, query: { ...query } };
    return (await this.#http.json<AgentList>("GET", "/v1/agents", call)).agents;
  }

  /** Gets an agent. Throws a `NotFoundError` if no agent has this id. */
  async get(agent: string, query: AgentQuery = {}, options: RequestOptions = {}): Promise<AgentInfo> {
    return this.#http.json("GET", path(agent), { ...patience(query), ...options, query: { ...query } });
  }

  /** Gets the newest version that the sources of an agent have. */
  async latest(agent: string, options: RequestOptions = {}): Promise<LatestVersion> {
    return this.#http.json("GET", path(agent, "/latest"), { timeoutMs: 0, ...options });
  }

  /**
   * Installs an agent. Await the installation for its result, iterate over it for its progress, or both.
   *
   * @example
   * const installation = client.agents.install("claude");
   * for await (const event of installation) console.log(event.step);
   * const { version } = await installation;
   */
  install(agent: string, options: InstallOptions = {}, request: RequestOptions = {}): Installation {
    return new Installation(this.#http, path(agent, "/install/sse"), options, request);
  }

  /** Chooses the installed version that starts unless a session names another one. */
  async makeCurrent(agent: string, version: string, options: RequestOptions = {}): Promise<AgentInfo> {
    const call = { ...options, json: { currentVersion: version }, repeatable: true };
    return this.#http.json("PATCH", path(agent), call);
  }

  /** Removes one version of an agent, or all of them. Removing what is not installed succeeds. */
  async uninstall(agent: string, version?: string, options: RequestOptions = {}): Promise<UninstalledAgent> {
    return this.#http.json("DELETE", path(agent), { ...options, query: { agentVersion: version } });
  }

  /** Gets the models of an agent and their variants. An installed agent is asked, which takes seconds. */
  async models(
    agent: string,
    query: Pick<AgentQuery, "noCache"> = {},
    options: RequestOptions = {},
  ): Promise<AgentModels> {
    return this.#http.json("GET", path(agent, "/models"), { timeoutMs: 0, ...options, query: { ...query } });
  }

  /** Gets the modes of an agent. An installed agent is asked, which takes seconds. */
  async modes(
    agent: string,
    query: Pick<AgentQuery, "noCache"> = {},
    options: RequestOptions = {},
  ): Promise<AgentModes> {
    return this.#http.json("GET", path(agent, "/modes"), { timeoutMs: 0, ...options, query: { ...query } });
  }
}

function path(agent: string, rest = ""): string {
  return `/v1/agents/${encodeURIComponent(agent)}${rest}`;
}

/** Agents that are asked take their time. */
function patience({ config }: AgentQuery): RequestOptions {
  return config === true ? { timeoutMs: 0 } : {};
}
