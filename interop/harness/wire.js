// A network between a client and the daemon that can be watched and disturbed.

/** A `fetch` that a client gets in place of the usual one. */
export class Wire {
  /** Each POST in the order they were made: its message, and what came back once it is there. */
  posts = [];
  /** How many event streams were opened. */
  streams = 0;
  /** How many event streams the daemon refused to open. */
  refused = 0;
  /** Holds event streams back until it is resolved. */
  gate = Promise.resolve();
  #ends = new Set();

  fetch = async (address, options = {}) => {
    const accept = new Headers(options.headers).get("accept") ?? "";
    if (accept.includes("text/event-stream")) return this.#stream(address, options);
    const post = { message: undefined, status: undefined, body: undefined };
    if (options.method === "POST") {
      post.message = JSON.parse(options.body);
      this.posts.push(post);
    }
    const response = await fetch(address, options);
    post.status = response.status;
    void this.#keep(post, response.clone());
    return response;
  };

  /** Ends all event streams as a gateway would that restarts: `broken` as an error, otherwise as a normal end. */
  cut({ broken = false } = {}) {
    for (const end of this.#ends) end(broken);
    this.#ends.clear();
  }

  /** How many event streams are open. */
  get open() {
    return this.#ends.size;
  }

  /** Keeps the body for the test; how the client fares with it is the client's business. */
  async #keep(post, response) {
    post.body = await response.text().catch(() => undefined);
  }

  async #stream(address, options) {
    await this.gate;
    const inside = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, inside.signal]) : inside.signal;
    const response = await fetch(address, { ...options, signal });
    if (!response.ok) {
      this.refused += 1;
      return response;
    }
    this.streams += 1;
    const reader = response.body.getReader();
    let end;
    const body = new ReadableStream({
      start: (controller) => {
        end = (broken) => {
          if (broken) controller.error(new TypeError("terminated"));
          else controller.close();
          inside.abort();
        };
        this.#ends.add(end);
      },
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!this.#ends.has(end)) return;
          if (!done) return controller.enqueue(value);
          this.#ends.delete(end);
          controller.close();
        } catch (error) {
          if (this.#ends.delete(end)) controller.error(error);
        }
      },
      cancel: () => {
        this.#ends.delete(end);
        inside.abort();
      },
    });
    return new Response(body, { status: response.status, headers: response.headers });
  }
}
