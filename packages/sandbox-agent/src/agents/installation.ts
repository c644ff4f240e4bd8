// An installation that runs: its progress and its result.

import { Backoff, parseServerSentEvents, sleep } from "acp-http-client/sse";
import { ConnectionError } from "../errors/errors.ts";
import { isProblem, problemError } from "../errors/problems.ts";
import type { InstallAgent, InstallEvent, InstalledAgent } from "../generated/openapi.gen.ts";
import { Deadline } from "../http/deadline.ts";
import { connectionError, isTransient } from "../http/failures.ts";
import { DEFAULT_RECONNECT, type Http, type RequestOptions } from "../http/http.ts";

/**
 * An installation of an agent. It starts at once, and continues in the daemon even if the client leaves. Await it for its
 * result; iterate over it for its progress, from the first step on and as often as needed.
 */
export class Installation implements PromiseLike<InstalledAgent>, AsyncIterable<InstallEvent> {
  readonly #http: Http;
  readonly #path: string;
  readonly #install: InstallAgent;
  readonly #request: RequestOptions;
  /** Steps so far. Progress of a download replaces the progress before, so that there are few. */
  readonly #steps: InstallEvent[] = [];
  #changes = 0;
  #waiting: (() => void)[] = [];
  #leave = new AbortController();
  #isAwaited = false;
  /** There is a result or a failure, other than that the request was left. */
  #isOver = false;
  #iterators = 0;
  #done: Promise<InstalledAgent>;

  /** @internal */
  constructor(http: Http, path: string, install: InstallAgent, request: RequestOptions) {
    this.#http = http;
    this.#path = path;
    this.#install = install;
    this.#request = request;
    this.#done = this.#start();
  }

  // biome-ignore lint/suspicious/noThenProperty: an installation is awaited for its result.
  then<A = InstalledAgent, B = never>(
    onDone?: ((result: InstalledAgent) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isAwaited = true;
    if (this.#leave.signal.aborted) {
      // The iteration was left, and with it the request. Another request joins the installation.
      this.#leave = new AbortController();
      this.#done = this.#start();
    }
    return this.#done.then(onDone, onError);
  }

  /** Iterates over the steps. Leaving the loop ends the request, unless the installation is awaited as well. */
  async *[Symbol.asyncIterator](): AsyncGenerator<InstallEvent, void, undefined> {
    this.#iterators += 1;
    try {
      let next = 0;
      let seen = 0;
      for (;;) {
        for (; next < this.#steps.length; next += 1) {
          const step = this.#steps[next] as InstallEvent;
          seen = this.#changes;
          yield step;
          if (step.step === "done") return;
        }
        if (seen === this.#changes) await this.#change();
        else next -= 1;
      }
    } finally {
      this.#iterators -= 1;
      if (this.#iterators === 0 && !this.#isAwaited && !this.#isOver) this.#leave.abort();
    }
  }

  /** Resolves with the next change. Rejects if the installation fails. */
  async #change(): Promise<void> {
    const change = new Promise<void>((resolve) => this.#waiting.push(resolve));
    await Promise.race([change, this.#done]);
  }

  #start(): Promise<InstalledAgent> {
    const done = this.#limited();
    // Those who look at the installation get the error. Nobody has to, and that must not end the process.
    const { signal } = this.#leave;
    done.catch(() => {
      this.#isOver = !signal.aborted;
    });
    return done;
  }

  async #limited(): Promise<InstalledAgent> {
    const { signal, timeoutMs = 0 } = this.#request;
    const left = this.#leave.signal;
    const deadline = new Deadline(signal === undefined ? left : AbortSignal.any([signal, left]), timeoutMs);
    try {
      return await this.#run(deadline.signal);
    } catch (error) {
      throw deadline.explain(error, `POST ${this.#path}`);
    } finally {
      deadline.release();
    }
  }

  async #run(signal: AbortSignal): Promise<InstalledAgent> {
    const backoff = new Backoff(this.#http.options.reconnect ?? DEFAULT_RECONNECT);
    for (;;) {
      try {
        return await this.#follow(signal);
      } catch (error) {
        signal.throwIfAborted();
        const delay = isTransient(error) ? backoff.next() : undefined;
        if (delay === undefined) throw error;
        await sleep(delay, signal);
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<InstalledAgent> {
    // If the daemon has begun to install it again, the request joins that installation.
    const { reinstall, ...rest } = this.#install;
    const json = this.#steps.length === 0 ? this.#install : rest;
    const headers = { Accept: "text/event-stream" };
    const response = await this.#http.response("POST", this.#path, { json, headers, signal });
    try {
      for await (const { data } of parseServerSentEvents(response.body ?? new ReadableStream())) {
        const event = JSON.parse(data) as InstallEvent;
        if (event.step === "failed") {
          if (isProblem(event)) throw problemError(event, response.headers.get("X-Request-Id") ?? undefined);
          continue;
        }
        this.#isOver = event.step === "done";
        this.#add(event);
        if (event.step === "done") {
          const { step, ...result } = event;
          return result;
        }
      }
    } catch (error) {
      throw connectionError(error, `POST ${this.#path}`);
    }
    throw new ConnectionError("the progress of the installation ended early");
  }

  #add(event: InstallEvent): void {
    if (event.step === "downloading" && this.#steps.at(-1)?.step === "downloading") this.#steps.pop();
    this.#steps.push(event);
    this.#changes += 1;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
