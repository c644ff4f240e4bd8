// MCP servers and skills that the daemon keeps for a directory.

import type {
  McpConfigList,
  McpServerConfig,
  SkillsConfig,
  SkillsConfigList,
} from "../generated/openapi.gen.ts";
import type { Http, RequestOptions } from "../http/http.ts";

/** The configuration of directories. Sessions use that of their `cwd`. */
export class Config {
  /** MCP servers by name. */
  readonly mcp: Entries<McpServerConfig>;
  /** Sets of skills by name. */
  readonly skills: Entries<SkillsConfig>;

  /** @internal */
  constructor(http: Http) {
    const mcp = "/v1/config/mcp";
    this.mcp = new Entries(http, mcp, "mcpName", async (call) => {
      return (await http.json<McpConfigList>("GET", `${mcp}/list`, call)).servers;
    });
    const skills = "/v1/config/skills";
    this.skills = new Entries(http, skills, "skillName", async (call) => {
      return (await http.json<SkillsConfigList>("GET", `${skills}/list`, call)).skills;
    });
  }
}

type List<T> = (call: RequestOptions & { query: { directory: string } }) => Promise<Record<string, T>>;

/** Named entries of a directory. A relative directory starts at the workspace of the daemon. */
export class Entries<T> {
  readonly #http: Http;
  readonly #path: string;
  readonly #key: string;
  readonly #list: List<T>;

  /** @internal */
  constructor(http: Http, path: string, key: string, list: List<T>) {
    this.#http = http;
    this.#path = path;
    this.#key = key;
    this.#list = list;
  }

  /** Lists all entries of a directory by name. */
  async list(directory: string, options: RequestOptions = {}): Promise<Record<string, T>> {
    return this.#list({ ...options, query: { directory } });
  }

  /** Gets an entry. Throws a `NotFoundError` if there is none. */
  async get(directory: string, name: string, options: RequestOptions = {}): Promise<T> {
    return this.#http.json("GET", this.#path, this.#call(directory, name, options));
  }

  /** Adds an entry, or replaces the one of this name. */
  async set(directory: string, name: string, entry: T, options: RequestOptions = {}): Promise<void> {
    await this.#http.empty("PUT", this.#path, { ...this.#call(directory, name, options), json: entry });
  }

  /** Deletes an entry. Deleting one that does not exist succeeds. */
  async delete(directory: string, name: string, options: RequestOptions = {}): Promise<void> {
    await this.#http.empty("DELETE", this.#path, this.#call(directory, name, options));
  }

  #call(
    directory: string,
    name: string,
    options: RequestOptions,
  ): RequestOptions & { query: Record<string, string> } {
    return { ...options, query: { directory, [this.#key]: name } };
  }
}
