// `sandbox-agent/stores`: live state for views of any framework.

export { nextFrame, type Schedule } from "./batch.ts";
export { ClientStores, storesOf } from "./client-stores.ts";
export {
  type ActionFailure,
  type Connection,
  type SessionSnapshot,
  SessionStore,
  type SessionStoreOptions,
} from "./session-store.ts";
export { type SessionsSnapshot, SessionsStore, type SessionsStoreOptions } from "./sessions-store.ts";
export type { Loading, Store } from "./store.ts";
