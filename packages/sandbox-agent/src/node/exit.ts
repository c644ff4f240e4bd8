// Stops daemons when this process exits. Deaths without an exit handler are noticed by the daemon itself.
/// <reference types="node" />

import process from "node:process";

const stops = new Set<() => void>();

/** Calls `stop` when this process exits, unless the returned function was called before. */
export function stopAtExit(stop: () => void): () => void {
  if (stops.size === 0) process.on("exit", stopAll);
  stops.add(stop);
  return () => {
    if (stops.delete(stop) && stops.size === 0) process.off("exit", stopAll);
  };
}

function stopAll(): void {
  for (const stop of stops) stop();
}
