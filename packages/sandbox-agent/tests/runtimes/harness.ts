// The side of the tests that runs on Node.js: owns the daemon and hands cases to the program in the runtime.

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Daemon, startDaemon } from "@sandbox-agent/testkit";
import { CONFIG, type Command } from "../portable/index.ts";
import { COMMAND, type Job, NEXT_JOB, OUTCOME, type Outcome } from "./protocol.ts";

/** A program that runs in the runtime under test. */
export interface Runtime {
  /** Resolves when the program has ended, with everything that it complained about on the way. */
  readonly ended: Promise<string[]>;
  /** Ends the program at once. */
  kill(): Promise<void>;
}

/** Starts the program, which finds the harness at the address. */
export type Launch = (harness: string) => Promise<Runtime>;

const COMMANDS: readonly Command[] = ["kill", "start", "restart"];

/** A promise that is resolved from outside. */
class Deferred<T> {
  resolve!: (value: T) => void;
  readonly promise = new Promise<T>((resolve) => {
    this.resolve = resolve;
  });
}

export class Harness {
  readonly #daemon: Daemon;
  readonly #server: Server;
  #runtime: Runtime | undefined;
  /** The program's request for a job, held until there is one. */
  #idle = new Deferred<ServerResponse>();
  #outcome = new Deferred<Outcome>();

  private constructor(daemon: Daemon) {
    this.#daemon = daemon;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
  }

  static async start(launch: Launch, flags: string[] = []): Promise<Harness> {
    const harness = new Harness(await startDaemon({ config: CONFIG, flags }));
    try {
      harness.#server.listen(0, "127.0.0.1");
      await once(harness.#server, "listening");
      const { port } = harness.#server.address() as AddressInfo;
      harness.#runtime = await launch(`http://127.0.0.1:${port}`);
      return harness;
    } catch (error) {
      await harness.stop();
      throw error;
    }
  }

  /** Runs one case in the runtime. Fails if the case does, or if anything went wrong next to it. */
  async run(suite: string, name: string): Promise<void> {
    const job: Job = { suite, name, ...this.#daemon.connection };
    const response = await this.#whileAlive(this.#idle.promise);
    this.#idle = new Deferred();
    this.#outcome = new Deferred();
    response.end(JSON.stringify(job));
    const { error, complaints } = await this.#whileAlive(this.#outcome.promise);
    if (error !== undefined) throw new Error([error, ...complaints].join("\n"));
    if (complaints.length > 0) throw new Error(complaints.join("\n"));
  }

  /** Sends the program home. Returns what it complained about until its end. */
  async finish(): Promise<string[]> {
    const response = await this.#whileAlive(this.#idle.promise);
    response.writeHead(204).end();
    return (await this.#runtime?.ended) ?? [];
  }

  async stop(): Promise<void> {
    await this.#runtime?.kill();
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#daemon.stop();
  }

  async #whileAlive<T>(promise: Promise<T>): Promise<T> {
    const ended = this.#runtime?.ended.then((complaints): never => {
      throw new Error(`the program ended early\n${complaints.join("\n")}`);
    });
    return await Promise.race([promise, ...(ended === undefined ? [] : [ended])]);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("Access-Control-Allow-Origin", "*");
    const body = await text(request);
    const path = request.url ?? "";
    if (path === NEXT_JOB) {
      this.#idle.resolve(response);
    } else if (path === OUTCOME) {
      this.#outcome.resolve(JSON.parse(body) as Outcome);
      response.end();
    } else {
      const command = COMMANDS.find((one) => path === `${COMMAND}/${one}`);
      if (command === undefined) throw new Error(`no such path: ${path}`);
      await this.#daemon[command]();
      response.end();
    }
  }
}
