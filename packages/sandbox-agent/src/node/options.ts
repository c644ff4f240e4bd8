// Options and result of starting a daemon as a child process. Types only, so that portable code can name them.

/** Options of {@link spawnSandboxAgent}. */
export interface SpawnOptions {
  /** Address to listen on, `127.0.0.1` by default. */
  host?: string | undefined;
  /** Port to listen on. By default the operating system chooses a free one. */
  port?: number | undefined;
  /** Token of the daemon, 24 random bytes as hex by default. It is passed by environment, never on the command line. */
  token?: string | undefined;
  /**
   * Path of the `sandbox-agent` program. By default the variable `SANDBOX_AGENT_BIN`, then the npm package for this
   * platform, then `PATH`.
   */
  binary?: string | undefined;
  /** Destination of the daemon's output, `silent` by default. The newest lines are kept for errors in any case. */
  log?: "inherit" | "silent" | ((line: string) => void) | undefined;
  /** Longest time until the daemon is healthy in milliseconds, 15,000 by default. */
  healthTimeoutMs?: number | undefined;
  /** Time that the daemon gets to stop in milliseconds before it is killed, 10,000 by default. */
  stopTimeoutMs?: number | undefined;
  /** Directory for agents and sessions. By default agents are shared by all daemons of the user. */
  dataDir?: string | undefined;
  /**
   * Where sessions are kept: `disk` if `dataDir` is given, otherwise `memory`. Only one daemon at a time can keep
   * sessions in a data directory.
   */
  sessions?: "memory" | "disk" | undefined;
  /** Working directory of the daemon and default directory of sessions. By default that of this process. */
  cwd?: string | undefined;
  /** Variables in addition to those of this process; `undefined` removes one. */
  env?: Record<string, string | undefined> | undefined;
  /** Additional flags of `sandbox-agent server`, such as `["--clean-env"]`. */
  args?: readonly string[] | undefined;
  /** Aborts the start. A daemon that already runs is not affected. */
  signal?: AbortSignal | undefined;
}

/** End of a process: one of the two is set. */
export interface ProcessEnd {
  code: number | null;
  signal: string | null;
}

/** A daemon that runs as a child of this process. */
export interface SpawnedSandboxAgent extends AsyncDisposable {
  /** Such as `http://127.0.0.1:34567`. */
  readonly baseUrl: string;
  readonly token: string;
  /** Process id of the daemon. */
  readonly pid: number;
  /** Resolves when the daemon has ended, for whatever reason. Never rejects. */
  readonly exited: Promise<ProcessEnd>;
  /** Returns the newest lines of output, at most 200. */
  log(): string[];
  /** Stops the daemon and everything it started. Resolves when it has ended. Calling it again is harmless. */
  dispose(): Promise<void>;
}
