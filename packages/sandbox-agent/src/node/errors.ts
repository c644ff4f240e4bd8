// The error of a daemon that could not be started as a child process.

import { SandboxAgentError } from "../errors/errors.ts";
import type { ProcessEnd } from "./options.ts";

/**
 * Why a daemon could not be started.
 *
 * | code | meaning |
 * |---|---|
 * | `binary_not_found` | no program was found; the message lists the places |
 * | `binary_not_executable` | the operating system refuses to run the program |
 * | `port_in_use` | another program listens on the port |
 * | `exited` | the daemon ended before it was healthy |
 * | `unhealthy` | the daemon was not healthy within `healthTimeoutMs` |
 */
export type SpawnErrorCode =
  | "binary_not_found"
  | "binary_not_executable"
  | "port_in_use"
  | "exited"
  | "unhealthy";

/** A daemon could not be started. No process is left behind. */
export class SpawnError extends SandboxAgentError {
  override name = "SpawnError";
  readonly code: SpawnErrorCode;
  /** Newest lines of output of the daemon. */
  readonly log: readonly string[];
  /** How the daemon ended, if it was started at all. */
  readonly end: ProcessEnd | undefined;

  constructor(
    code: SpawnErrorCode,
    message: string,
    details: { log?: readonly string[]; end?: ProcessEnd | undefined; cause?: unknown } = {},
  ) {
    const log = details.log ?? [];
    const output = log.length === 0 ? "" : `\n${log.map((line) => `  ${line}`).join("\n")}`;
    super(message + output, { cause: details.cause });
    this.code = code;
    this.log = log;
    this.end = details.end;
  }
}
