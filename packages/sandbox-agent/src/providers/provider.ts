// The contract between `SandboxAgent.start` and the providers of sandboxes.

import { SandboxAgentError } from "../errors/errors.ts";

/** Starts sandboxes of one kind, such as Docker containers, with a daemon in each. */
export interface SandboxProvider {
  /** Name of the provider, such as `docker`. */
  readonly name: string;
  /**
   * Creates a sandbox and starts a daemon in it that requires the token. Resolves when the daemon is healthy.
   * If a step fails, the sandbox is destroyed and the promise rejects with a {@link SandboxStartError}.
   */
  create(options: CreateSandboxOptions): Promise<Sandbox>;
  /** Returns a handle to a sandbox that exists, by its `id`. Starts the daemon again if it is not running. */
  reconnect?(id: string, options: CreateSandboxOptions): Promise<Sandbox>;
}

export interface CreateSandboxOptions {
  /** Token that the daemon requires. Keep it to be able to reconnect. */
  token: string;
  /** Aborts the start. A sandbox that was already created is destroyed. */
  signal?: AbortSignal | undefined;
}

/** A running sandbox. */
export interface Sandbox {
  /** Identifies the sandbox to its provider; pass it to `reconnect`. */
  readonly id: string;
  /** Name of the provider. */
  readonly provider: string;
  /** Returns how to reach the daemon. Call it again after `resume`: addresses and gateway tokens may change. */
  endpoint(): Promise<SandboxEndpoint>;
  /** Returns the address of another port of the sandbox, such as that of a development server. */
  previewUrl?(port: number): Promise<PreviewUrl>;
  /** Suspends the sandbox. Its files are kept. */
  pause?(): Promise<void>;
  /** Resumes the sandbox and waits until its daemon is healthy. */
  resume?(): Promise<void>;
  /** Deletes the sandbox and everything in it. Does nothing if it no longer exists. */
  destroy(): Promise<void>;
  /** Returns the newest output of the daemon, at most 64 KiB. */
  logs?(): Promise<string>;
}

/** How to reach the daemon of a sandbox. */
export interface SandboxEndpoint {
  baseUrl: string;
  /** Headers that the provider's gateway requires. */
  headers?: Record<string, string> | undefined;
  /** Replaces the global `fetch` where a sandbox is not reached by an address. */
  fetch?: typeof fetch | undefined;
  /** Header that carries the daemon's token: not `Authorization` where the gateway uses that itself. */
  tokenHeader?: "Authorization" | "X-Sandbox-Agent-Token" | undefined;
}

/** Address of a port of a sandbox. */
export interface PreviewUrl {
  url: string;
  /** Headers that the provider's gateway requires. A browser cannot send them when it opens a link. */
  headers?: Record<string, string> | undefined;
}

/** The parts of starting a sandbox, in their order. */
export type SandboxStep = "load" | "create" | "upload" | "install" | "start" | "health" | "resume";

/**
 * A sandbox could not be started. Nothing of it is left behind, unless `leftover` is set. A sandbox that existed before
 * is left as it is.
 */
export class SandboxStartError extends SandboxAgentError {
  override name = "SandboxStartError";
  readonly provider: string;
  /** Step that failed. */
  readonly step: SandboxStep;
  readonly sandboxId: string | undefined;
  /** Newest output of the daemon or of the command that failed; empty if there is none. */
  readonly log: string;
  /** Why the sandbox could not be destroyed: it may still exist, and cost money. */
  readonly leftover: unknown;

  constructor(failure: {
    provider: string;
    step: SandboxStep;
    sandboxId?: string | undefined;
    log?: string | undefined;
    cause: unknown;
    leftover?: unknown;
  }) {
    const { provider, step, sandboxId, cause, leftover } = failure;
    const log = (failure.log ?? "").trimEnd();
    const where = sandboxId === undefined ? "" : ` of sandbox ${sandboxId}`;
    const rest = leftover === undefined ? "" : `; it may still exist: ${messageOf(leftover)}`;
    const output = log === "" ? "" : `\n${log}`;
    super(`${provider}: step '${step}'${where} failed: ${messageOf(cause)}${rest}${output}`, { cause });
    this.provider = provider;
    this.step = step;
    this.sandboxId = sandboxId;
    this.log = log;
    this.leftover = leftover;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
