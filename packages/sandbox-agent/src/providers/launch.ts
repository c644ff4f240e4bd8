// One start of a sandbox: named steps, one time limit, and the destruction of what was created if a step fails.

import { DEFAULT_START_TIMEOUT_MS } from "./daemon.ts";
import { SandboxStartError, type SandboxStep } from "./provider.ts";
import { TimeLimit } from "./time-limit.ts";

/** Longest wait for a provider to answer while a failed start is cleaned up. */
const CLEANUP_MS = 30_000;
/** Longest wait for the output of a daemon that failed. */
const LOG_MS = 5_000;

/** A part of a provider that must not be left behind. */
export interface Created {
  readonly id: string;
  destroy(): Promise<void>;
  /** Returns the newest output of the daemon. */
  logs?(): Promise<string>;
}

/** A command in a sandbox that failed. */
export class CommandError extends Error {
  readonly output: string;

  constructor(message: string, output: string) {
    super(message);
    this.output = output;
  }
}

export interface LaunchOptions {
  provider: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

export class Launch {
  readonly #provider: string;
  readonly #caller: AbortSignal | undefined;
  readonly #limit: TimeLimit;
  #step: SandboxStep = "load";
  #creation: Promise<Created> | undefined;
  #created: Created | undefined;

  constructor(options: LaunchOptions) {
    this.#provider = options.provider;
    this.#caller = options.signal;
    this.#limit = new TimeLimit(options.timeoutMs ?? DEFAULT_START_TIMEOUT_MS, options.signal);
  }

  /**
   * Runs all steps. If one fails, what `create` made is destroyed.
   *
   * @throws The reason of the caller's signal, or a {@link SandboxStartError}.
   */
  async run<T>(steps: () => Promise<T>): Promise<T> {
    try {
      this.#caller?.throwIfAborted();
      return await steps();
    } catch (cause) {
      if (cause instanceof SandboxStartError) throw cause;
      const aborted = this.#caller?.aborted ?? false;
      const log = aborted ? "" : await this.#log(cause);
      const leftover = await this.#cleanUp();
      if (aborted && leftover === undefined) throw this.#caller?.reason;
      const sandboxId = this.#created?.id;
      throw new SandboxStartError({
        provider: this.#provider,
        step: this.#step,
        sandboxId,
        log,
        cause,
        leftover,
      });
    } finally {
      this.#limit.release();
    }
  }

  /** Runs one step. Rejects when the start is aborted, even if the provider's SDK ignores the signal. */
  async step<T>(step: SandboxStep, action: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#step = step;
    const { signal } = this.#limit;
    signal.throwIfAborted();
    return orAborted(action(signal), signal);
  }

  /** Runs a step that makes something. An aborted request may still succeed, so its end is awaited, not its abortion. */
  async create<T extends Created>(action: () => Promise<T>): Promise<T> {
    return this.step("create", async () => {
      const creation = action();
      this.#creation = creation;
      const created = await creation;
      this.#created = created;
      return created;
    });
  }

  async #log(cause: unknown): Promise<string> {
    if (cause instanceof CommandError) return cause.output;
    const logs = this.#created?.logs?.();
    return logs === undefined ? "" : within(logs, LOG_MS).catch(() => "");
  }

  /** Returns why something may be left behind, or nothing. */
  async #cleanUp(): Promise<unknown> {
    if (this.#creation === undefined) return undefined;
    const destroyed = this.#creation.then(
      async (created) => {
        this.#created = created;
        await created.destroy();
      },
      () => {},
    );
    try {
      await within(destroyed, CLEANUP_MS);
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

/** Settles like the promise, or rejects with the signal's reason if that is aborted before. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (abort !== undefined) signal.removeEventListener("abort", abort);
  }
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  const limit = new TimeLimit(ms);
  try {
    return await orAborted(promise, limit.signal);
  } finally {
    limit.release();
  }
}
