// Tickets: they open streams where no header can carry the token, such as an EventSource or a WebSocket of a browser.

import type { Ticket, TicketRequest } from "../generated/openapi.gen.ts";
import type { Http, RequestOptions } from "../http/http.ts";

export class Tickets {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Issues a ticket, to be sent as the query parameter `ticket`. Without a `path` it opens any stream, once, within 30
   * seconds; with one it opens that stream any number of times for an hour.
   */
  async issue(ticket: TicketRequest = {}, options: RequestOptions = {}): Promise<Ticket> {
    return this.#http.json("POST", "/v1/tickets", { ...options, json: ticket, repeatable: true });
  }

  /** Ends a ticket. Streams that it opened stay open. */
  async revoke(ticket: string, options: RequestOptions = {}): Promise<void> {
    await this.#http.empty("DELETE", `/v1/tickets/${encodeURIComponent(ticket)}`, options);
  }
}
