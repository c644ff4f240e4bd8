// The agent processes of a daemon, those of sessions and those of raw ACP connections.

import type { AcpServer, AcpServerList } from "../generated/openapi.gen.ts";
import type { Http, RequestOptions } from "../http/http.ts";

export class Servers {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /** Lists the servers in the order of their creation. */
  async list(options: RequestOptions = {}): Promise<AcpServer[]> {
    return (await this.#http.json<AcpServerList>("GET", "/v1/acp", options)).servers;
  }

  /** Ends an agent process and deletes its server. Deleting one that does not exist succeeds. */
  async delete(serverId: string, options: RequestOptions = {}): Promise<void> {
    await this.#http.empty("DELETE", `/v1/acp/${encodeURIComponent(serverId)}`, options);
  }
}
