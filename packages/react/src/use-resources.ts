// Agents, files, processes and terminals of a sandbox.

import { useMemo } from "react";
import type {
  AgentsSnapshot,
  AgentsStore,
  AgentsStoreOptions,
  FilesSnapshot,
  FilesStore,
  ProcessesSnapshot,
  ProcessesStore,
  ProcessesStoreOptions,
  TerminalSnapshot,
  TerminalStore,
} from "sandbox-agent/stores";
import { useStores } from "./provider.tsx";
import { useStore } from "./use-store.ts";

const whole = <T>(snapshot: T): T => snapshot;

export type AgentsResult = AgentsSnapshot & Pick<AgentsStore, "refresh" | "install" | "uninstall">;

/** Lists the agents that the daemon knows, with the progress of installations. */
export function useAgents(options: AgentsStoreOptions = {}): AgentsResult {
  const store = useStores().agents(options);
  const snapshot: AgentsSnapshot = useStore(store, whole);
  return useMemo(() => {
    const { refresh, install, uninstall } = store;
    return { ...snapshot, refresh, install, uninstall };
  }, [store, snapshot]);
}

export type FilesResult = FilesSnapshot &
  Pick<FilesStore, "path" | "refresh" | "read" | "write" | "remove" | "mkdir" | "move">;

/** Follows the entries of a directory: changes in the sandbox show up without a refresh. */
export function useFiles(path: string): FilesResult {
  const store = useStores().files(path);
  const snapshot: FilesSnapshot = useStore(store, whole);
  return useMemo(() => {
    const { refresh, read, write, remove, mkdir, move } = store;
    return { ...snapshot, path, refresh, read, write, remove, mkdir, move };
  }, [store, snapshot, path]);
}

export type ProcessesResult = ProcessesSnapshot &
  Pick<ProcessesStore, "refresh" | "create" | "stop" | "kill" | "remove">;

/** Lists processes, and reads the list again every `refreshMs`, 2 s by default. */
export function useProcesses(options: ProcessesStoreOptions = {}): ProcessesResult {
  const store = useStores().processes(options);
  const snapshot: ProcessesSnapshot = useStore(store, whole);
  return useMemo(() => {
    const { refresh, create, stop, kill, remove } = store;
    return { ...snapshot, refresh, create, stop, kill, remove };
  }, [store, snapshot]);
}

export type TerminalResult = TerminalSnapshot & Pick<TerminalStore, "show" | "write" | "resize" | "reattach">;

const terminalOf = ({ terminal }: { terminal: TerminalSnapshot }): TerminalSnapshot => terminal;

/**
 * Keeps the terminal of a process attached while the component is mounted. Output does not render anything: pass it to a
 * terminal emulator with `show`.
 *
 * @example
 * const { show, write } = useTerminal(processId);
 * useEffect(() => show({ onData: (bytes) => xterm.write(bytes), onReset: () => xterm.reset() }), [show]);
 */
export function useTerminal(processId: string): TerminalResult {
  const store = useStores().terminal(processId);
  const state = useStore(store, terminalOf);
  return useMemo(() => {
    const { show, write, resize, reattach } = store;
    return { ...state, show, write, resize, reattach };
  }, [store, state]);
}
