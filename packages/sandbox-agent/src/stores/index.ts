// `sandbox-agent/stores`: live state for views of any framework.

export {
  type AgentsSnapshot,
  AgentsStore,
  type AgentsStoreOptions,
  type InstallationState,
} from "./agents-store.ts";
export { nextFrame, type Schedule } from "./batch.ts";
export { ClientStores, storesOf } from "./client-stores.ts";
export { type FilesSnapshot, FilesStore, type FileVersion, type WriteResult } from "./files-store.ts";
export { type ProcessesSnapshot, ProcessesStore, type ProcessesStoreOptions } from "./processes-store.ts";
export {
  type ActionFailure,
  type Connection,
  type SessionSnapshot,
  SessionStore,
  type SessionStoreOptions,
} from "./session-store.ts";
export { type SessionsSnapshot, SessionsStore, type SessionsStoreOptions } from "./sessions-store.ts";
export type { Loading, Store } from "./store.ts";
export { type TerminalScreen, type TerminalSnapshot, TerminalStore } from "./terminal-store.ts";
