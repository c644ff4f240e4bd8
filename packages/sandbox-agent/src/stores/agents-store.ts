// The agents of a daemon, and installations that run.

import type { InstallOptions } from "../agents/agents.ts";
import type { SandboxAgent } from "../client.ts";
import type { AgentInfo, InstallEvent, InstalledAgent } from "../generated/openapi.gen.ts";
import { Polling } from "./polling.ts";
import { BaseStore, handled, LOADING, type Loading, READY } from "./store.ts";

/** An installation. It disappears when it is done. */
export type InstallationState =
  /** `progress` is the newest step; undefined until the daemon reports one. */
  | { readonly state: "running"; readonly progress: InstallEvent | undefined }
  | { readonly state: "failed"; readonly error: unknown };

export interface AgentsSnapshot {
  readonly loading: Loading;
  /** All agents that the daemon knows, installed or not. */
  readonly agents: readonly AgentInfo[];
  /** Installations that run or failed, by the id of their agent. */
  readonly installations: Readonly<Record<string, InstallationState>>;
}

export interface AgentsStoreOptions {
  /** Milliseconds between two requests; 0, the default, reads the list once and after each installation. */
  refreshMs?: number | undefined;
}

export class AgentsStore extends BaseStore<AgentsSnapshot> {
  readonly #client: SandboxAgent;
  readonly #polling: Polling;

  constructor(client: SandboxAgent, options: AgentsStoreOptions = {}) {
    super({ loading: LOADING, agents: [], installations: {} });
    this.#client = client;
    this.#polling = new Polling(options.refreshMs ?? 0, (signal) => this.#read(signal));
  }

  /** Reads the list now. */
  readonly refresh = (): Promise<void> => this.#polling.refresh();

  /** Installs an agent. The installation continues in the daemon even if nobody subscribes. */
  readonly install = (agent: string, options: InstallOptions = {}): Promise<InstalledAgent> =>
    handled(this.#install(agent, options));

  /** Removes one version of an agent, or all of them. */
  readonly uninstall = (agent: string, version?: string): Promise<void> =>
    handled(
      this.#client.agents.uninstall(agent, version).then(async () => {
        await this.refresh();
      }),
    );

  protected override run(signal: AbortSignal): Promise<void> {
    return this.#polling.run(signal);
  }

  async #install(agent: string, options: InstallOptions): Promise<InstalledAgent> {
    this.#show(agent, { state: "running", progress: undefined });
    try {
      const installation = this.#client.agents.install(agent, options);
      for await (const progress of installation) this.#show(agent, { state: "running", progress });
      const result = await installation;
      await this.refresh();
      this.#show(agent, undefined);
      return result;
    } catch (error) {
      this.#show(agent, { state: "failed", error });
      throw error;
    }
  }

  #show(agent: string, state: InstallationState | undefined): void {
    const { [agent]: _, ...others } = this.getSnapshot().installations;
    this.update({ installations: state === undefined ? others : { ...others, [agent]: state } });
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      this.update({ agents: await this.#client.agents.list({}, { signal }), loading: READY });
    } catch (error) {
      if (!signal.aborted) this.update({ loading: { state: "failed", error } });
    }
  }
}
