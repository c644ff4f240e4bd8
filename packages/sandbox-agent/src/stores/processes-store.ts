// The processes of a sandbox.

import type { SandboxAgent } from "../client.ts";
import type { ProcessCreateRequest, ProcessInfo } from "../generated/openapi.gen.ts";
import { Polling } from "./polling.ts";
import { BaseStore, handled, LOADING, type Loading, READY } from "./store.ts";

export interface ProcessesSnapshot {
  readonly loading: Loading;
  /** Processes that run, and the last ones that exited. */
  readonly processes: readonly ProcessInfo[];
}

export interface ProcessesStoreOptions {
  /** Milliseconds between two requests, 2,000 by default; 0 reads the list once and after each action. */
  refreshMs?: number | undefined;
}

export class ProcessesStore extends BaseStore<ProcessesSnapshot> {
  readonly #client: SandboxAgent;
  readonly #polling: Polling;

  constructor(client: SandboxAgent, options: ProcessesStoreOptions = {}) {
    super({ loading: LOADING, processes: [] });
    this.#client = client;
    this.#polling = new Polling(options.refreshMs ?? 2_000, (signal) => this.#read(signal));
  }

  /** Reads the list now. */
  readonly refresh = (): Promise<void> => this.#polling.refresh();

  /** Starts a process; with `tty: true` it has a terminal. */
  readonly create = (process: ProcessCreateRequest): Promise<ProcessInfo> =>
    this.#change(this.#client.processes.create(process));

  /** Stops a process and everything that it started: SIGTERM, a grace, SIGKILL. */
  readonly stop = (id: string): Promise<ProcessInfo> => this.#change(this.#client.processes.stop(id));

  readonly kill = (id: string): Promise<ProcessInfo> => this.#change(this.#client.processes.kill(id));

  /** Deletes a process that has exited. */
  readonly remove = (id: string): Promise<void> => this.#change(this.#client.processes.delete(id));

  protected override run(signal: AbortSignal): Promise<void> {
    return this.#polling.run(signal);
  }

  #change<T>(action: Promise<T>): Promise<T> {
    return handled(
      action.then((result) => {
        void this.refresh();
        return result;
      }),
    );
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const processes = await this.#client.processes.list({}, { signal });
      const isSame = JSON.stringify(processes) === JSON.stringify(this.getSnapshot().processes);
      this.update(isSame ? { loading: READY } : { processes, loading: READY });
    } catch (error) {
      if (!signal.aborted) this.update({ loading: { state: "failed", error } });
    }
  }
}
