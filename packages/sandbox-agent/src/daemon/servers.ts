// The agent processes of a daemon, those of sessions and those of raw ACP connections.

import type { AcpServer, AcpServerList } from "../generated/openapi.gen.ts";
import { isControl, type StreamOptions, streamItems } from "../http/event-stream.ts";
import type { Http, RequestOptions } from "../http/http.ts";

/** An event of a server's stream. */
export interface ServerEvent {
  /** Sequence number in the server's log. */
  readonly id: number;
  /** `message` and `response` hold JSON-RPC messages, `exit` the end of the agent, `unparsed` other output. */
  readonly type: "message" | "response" | "exit" | "unparsed";
  readonly data: unknown;
}

const TYPES: readonly string[] = ["message", "response", "exit", "unparsed"] satisfies ServerEvent["type"][];

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

  /**
   * Iterates over what an agent process wrote, from the oldest message that is kept or after `after`, and continues with new
   * messages. It only reads: use `AcpPeer` to talk to an agent.
   */
  messages(
    serverId: string,
    options: StreamOptions & { after?: number | undefined } = {},
  ): AsyncIterableIterator<ServerEvent> {
    const path = `/v1/acp/${encodeURIComponent(serverId)}`;
    return streamItems(
      this.#http,
      { ...options, path, after: options.after ?? 0 },
      {
        item: (event) => {
          if (isControl(event, options) || !TYPES.includes(event.event)) return undefined;
          const type = event.event as ServerEvent["type"];
          return { id: Number(event.id), type, data: JSON.parse(event.data) as unknown };
        },
      },
    );
  }

  /** Ends an agent process and deletes its server. Deleting one that does not exist succeeds. */
  async delete(serverId: string, options: RequestOptions = {}): Promise<void> {
    await this.#http.empty("DELETE", `/v1/acp/${encodeURIComponent(serverId)}`, options);
  }
}
