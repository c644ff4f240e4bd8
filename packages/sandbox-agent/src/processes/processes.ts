// The processes of a sandbox: commands, services and terminals.

import { SandboxAgentError } from "../errors/errors.ts";
import type {
  ProcessConfig,
  ProcessConfigChange,
  ProcessCreateRequest,
  ProcessExit,
  ProcessInfo,
  ProcessInputRequest,
  ProcessListResponse,
  ProcessLogsResponse,
  ProcessLogsStream,
  ProcessOwner,
  ProcessRunRequest,
  ProcessRunResponse,
  ProcessTerminalSize,
} from "../generated/openapi.gen.ts";
import type { Http, RequestOptions } from "../http/http.ts";
import {
  type FollowOptions,
  followOutput,
  logPage,
  type ProcessLogPage,
  type ProcessOutput,
} from "./output.ts";
import { attach, type Terminal, type TerminalOptions } from "./terminal.ts";

/** Which part of a log to read. */
export interface LogsQuery {
  /** Output to read; all of it by default. */
  stream?: ProcessLogsStream;
  /** Starts after the entry of this number. */
  after?: number;
  /** Starts with the last entries of this number. */
  tail?: number;
  /** Most entries to return, 1 to 10,000; all by default. */
  limit?: number;
}

/** Input of a process: text, bytes, or the end of its input. */
export type ProcessInput = string | Uint8Array | { eof: true };

export class Processes {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /** Starts a process. No shell interprets the command. */
  async create(process: ProcessCreateRequest, options: RequestOptions = {}): Promise<ProcessInfo> {
    return this.#http.json("POST", "/v1/processes", { ...options, json: process });
  }

  /** Runs a command to its end and returns its output. The time limit is that of the command: `timeoutMs` of it. */
  async run(command: ProcessRunRequest, options: RequestOptions = {}): Promise<ProcessRunResponse> {
    return this.#http.json("POST", "/v1/processes/run", { timeoutMs: 0, ...options, json: command });
  }

  /** Lists the processes that run and the last ones that exited. */
  async list(query: { owner?: ProcessOwner } = {}, options: RequestOptions = {}): Promise<ProcessInfo[]> {
    const call = { ...options, query: { ...query } };
    return (await this.#http.json<ProcessListResponse>("GET", "/v1/processes", call)).processes;
  }

  /** Gets a process. Throws a `NotFoundError` if it does not exist. */
  async get(id: string, options: RequestOptions = {}): Promise<ProcessInfo> {
    return this.#http.json("GET", path(id), options);
  }

  /** Waits until a process exits. */
  async wait(id: string, options: Pick<RequestOptions, "signal"> = {}): Promise<ProcessExit> {
    let exit: ProcessExit | undefined;
    const onExit = (reported: ProcessExit): void => {
      exit = reported;
    };
    const follow = { ...options, tail: 0, onGap: () => {} };
    for await (const _ of followOutput(this.#http, path(id), follow, onExit));
    if (exit === undefined) throw new SandboxAgentError(`the output of process ${id} ended without an exit`);
    return exit;
  }

  /**
   * Stops a process and everything that it started: SIGTERM, a grace, SIGKILL. Returns when it is over, or after
   * `waitMs`. The grace is 5 seconds by default.
   */
  async stop(
    id: string,
    query: { graceMs?: number; waitMs?: number } = {},
    options: RequestOptions = {},
  ): Promise<ProcessInfo> {
    const call = { timeoutMs: 0, ...options, query: { ...query }, repeatable: true };
    return this.#http.json("POST", path(id, "/stop"), call);
  }

  /** Kills a process and everything that it started. */
  async kill(
    id: string,
    query: { waitMs?: number } = {},
    options: RequestOptions = {},
  ): Promise<ProcessInfo> {
    const call = { timeoutMs: 0, ...options, query: { ...query }, repeatable: true };
    return this.#http.json("POST", path(id, "/kill"), call);
  }

  /** Writes to the input of a process, at most 64 KiB at once. `{ eof: true }` ends the input. */
  async input(id: string, input: ProcessInput, options: RequestOptions = {}): Promise<void> {
    await this.#http.empty("POST", path(id, "/input"), { ...options, json: inputBody(input) });
  }

  /** Gets a part of the log of a process. */
  async logs(id: string, query: LogsQuery = {}, options: RequestOptions = {}): Promise<ProcessLogPage> {
    const call = { ...options, query: { ...query, encoding: "text" } };
    return logPage(await this.#http.json<ProcessLogsResponse>("GET", path(id, "/logs"), call));
  }

  /**
   * Iterates over the output of a process, from the oldest entry of its log on, until it exits. A connection that breaks is
   * resumed without losing or repeating output.
   */
  follow(id: string, options: FollowOptions = {}): AsyncIterableIterator<ProcessOutput> {
    return followOutput(this.#http, path(id), options);
  }

  /** Changes the size of a terminal. */
  async resize(
    id: string,
    size: ProcessTerminalSize,
    options: RequestOptions = {},
  ): Promise<ProcessTerminalSize> {
    return this.#http.json("POST", path(id, "/terminal/resize"), {
      ...options,
      json: size,
      repeatable: true,
    });
  }

  /** Deletes a process that has exited. Throws a `ConflictError` while it runs. */
  async delete(id: string, options: RequestOptions = {}): Promise<void> {
    await this.#http.empty("DELETE", path(id), options);
  }

  /** Gets the limits of processes. */
  async config(options: RequestOptions = {}): Promise<ProcessConfig> {
    return this.#http.json("GET", "/v1/processes/config", options);
  }

  /** Changes limits of processes until the daemon ends. Those that are absent stay as they are. */
  async setConfig(change: ProcessConfigChange, options: RequestOptions = {}): Promise<ProcessConfig> {
    return this.#http.json("POST", "/v1/processes/config", { ...options, json: change, repeatable: true });
  }

  /**
   * Attaches to the terminal of a process that was created with `tty: true`. Resolves once the output is received.
   *
   * @example
   * const { id } = await client.processes.create({ command: "bash", tty: true });
   * const terminal = await client.processes.terminal(id);
   * terminal.onData((bytes) => screen.write(bytes));
   * terminal.write("ls\n");
   */
  async terminal(id: string, options: TerminalOptions = {}): Promise<Terminal> {
    const info = await this.get(id, options.signal === undefined ? {} : { signal: options.signal });
    if (!info.tty) throw new SandboxAgentError(`process ${id} has no terminal; create it with tty: true`);
    return attach(this.#http, id, path(id), options);
  }
}

function path(id: string, rest = ""): string {
  return `/v1/processes/${encodeURIComponent(id)}${rest}`;
}

export function inputBody(input: ProcessInput): ProcessInputRequest {
  if (typeof input === "string") return { text: input };
  if ("eof" in input) return { eof: true };
  return { data: btoa(Array.from(input, (byte) => String.fromCharCode(byte)).join("")) };
}
