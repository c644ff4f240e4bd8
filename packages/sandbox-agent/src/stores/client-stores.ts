// The stores of one client, one for each thing that is followed.

import type { SandboxAgent } from "../client.ts";
import { AgentsStore, type AgentsStoreOptions } from "./agents-store.ts";
import { FilesStore } from "./files-store.ts";
import { ProcessesStore, type ProcessesStoreOptions } from "./processes-store.ts";
import { SessionStore, type SessionStoreOptions } from "./session-store.ts";
import { SessionsStore, type SessionsStoreOptions } from "./sessions-store.ts";
import type { StoreUse } from "./store.ts";
import { TerminalStore } from "./terminal-store.ts";

/** Stores without a subscriber that are kept, so that a view that comes back has its data at once. */
const MAX_UNUSED = 8;

interface Usable {
  readonly isUsed: boolean;
  watchUse(use: StoreUse): void;
}

/** Finds or makes the stores of a client. Get it with `storesOf`. */
export class ClientStores {
  readonly client: SandboxAgent;
  readonly #stores = new Map<string, Usable>();

  /** @internal */
  constructor(client: SandboxAgent) {
    this.client = client;
  }

  session(id: string, options: SessionStoreOptions = {}): SessionStore {
    const key = `session ${id} ${options.pageSize ?? ""}`;
    return this.#find(key, () => new SessionStore(this.client, id, options));
  }

  sessions(options: SessionsStoreOptions = {}): SessionsStore {
    return this.#find(`sessions ${stable(options)}`, () => new SessionsStore(this.client, options));
  }

  agents(options: AgentsStoreOptions = {}): AgentsStore {
    return this.#find(`agents ${stable(options)}`, () => new AgentsStore(this.client, options));
  }

  /** The entries of a directory. */
  files(path: string): FilesStore {
    return this.#find(`files ${path}`, () => new FilesStore(this.client, path));
  }

  processes(options: ProcessesStoreOptions = {}): ProcessesStore {
    return this.#find(`processes ${stable(options)}`, () => new ProcessesStore(this.client, options));
  }

  terminal(processId: string): TerminalStore {
    return this.#find(`terminal ${processId}`, () => new TerminalStore(this.client, processId));
  }

  #find<S extends Usable>(key: string, make: () => S): S {
    const known = this.#stores.get(key);
    if (known !== undefined) return known as S;
    const store = make();
    store.watchUse({
      onUse: () => {
        if (!this.#stores.has(key)) this.#stores.set(key, store);
      },
      onDisuse: () => {
        if (this.#stores.get(key) !== store) return;
        // The one that was used last is forgotten last.
        this.#stores.delete(key);
        this.#stores.set(key, store);
        this.#forget();
      },
    });
    this.#stores.set(key, store);
    this.#forget();
    return store;
  }

  #forget(): void {
    const unused = [...this.#stores].filter(([, store]) => !store.isUsed);
    for (const [key] of unused.slice(0, Math.max(0, unused.length - MAX_UNUSED))) this.#stores.delete(key);
  }
}

const all = new WeakMap<SandboxAgent, ClientStores>();

/** Returns the stores of a client, which are the same for all callers. */
export function storesOf(client: SandboxAgent): ClientStores {
  const known = all.get(client);
  if (known !== undefined) return known;
  const stores = new ClientStores(client);
  all.set(client, stores);
  return stores;
}

/** JSON with the members in order, so that equal options have equal keys. */
function stable(options: object): string {
  return JSON.stringify(Object.entries(options).sort(([left], [right]) => (left < right ? -1 : 1)));
}
