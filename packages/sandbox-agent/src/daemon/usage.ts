// Tokens and cost over all sessions of a daemon.

import type { UsageGroup, UsageGrouping, UsageReport } from "../generated/openapi.gen.ts";
import type { Http, RequestOptions } from "../http/http.ts";

/** Which turns to sum up, and how. */
export interface UsageQuery {
  /** Start of the period, inclusive, as an RFC 3339 time. */
  from?: string;
  /** End of the period, exclusive, as an RFC 3339 time. */
  to?: string;
  /** Properties that the turns of a group share, `["day"]` by default. */
  groupBy?: UsageGrouping[];
  /** Ids of their sessions. */
  sessionId?: string[];
  /** Ids of their agents. */
  agent?: string[];
  /** Their models. */
  model?: string[];
  /** Groups per request, 100 by default and 1000 at most. */
  limit?: number;
  /** `next` of the page to continue after. */
  after?: string;
}

export class UsageReports {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /** Gets one page of groups, and the sum of all groups. */
  async page(query: UsageQuery = {}, request: RequestOptions = {}): Promise<UsageReport> {
    return this.#http.json("GET", "/v1/usage", { ...request, query: { ...query } });
  }

  /** Iterates over all groups, ordered by day, agent, model and session, page by page. */
  async *list(
    query: UsageQuery = {},
    request: RequestOptions = {},
  ): AsyncGenerator<UsageGroup, void, undefined> {
    let after = query.after;
    do {
      const page = await this.page(after === undefined ? query : { ...query, after }, request);
      yield* page.groups;
      after = page.hasMore ? page.next : undefined;
    } while (after !== undefined);
  }
}
