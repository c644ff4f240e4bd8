// The shape of tests that run in every runtime: Node.js, Bun, Deno, workerd and browsers. They use web APIs only.

/** A request to the harness, which runs outside and owns the daemon. */
export type Command =
  /** Kills the daemon without warning. */
  | "kill"
  /** Starts the daemon again on the same port, with the same data. */
  | "start"
  /** Does both, one after the other. */
  | "restart";

/** The context of a case, from the harness. */
export interface Environment {
  /** Address of a daemon that runs with `CONFIG` from `config.ts`. All cases share it, one after the other. */
  baseUrl: string;
  token: string;
  /** Resolves once the harness has done it. */
  control(command: Command): Promise<void>;
}

/** One test. It fails if `run` rejects. */
export interface Case {
  name: string;
  run(environment: Environment): Promise<void>;
}
