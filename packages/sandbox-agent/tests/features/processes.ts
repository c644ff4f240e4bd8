// The processes below the daemon.

import { readdirSync, readFileSync } from "node:fs";
import type { AgentId } from "./script.ts";

/** Name of the program that the agent's adapter drives. The demo agent drives none. */
const PROGRAMS: Partial<Record<AgentId, string>> = { claude: "claude", codex: "codex", opencode: "opencode" };

interface Process {
  pid: number;
  parent: number;
  name: string;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Returns the ids of the agent's own programs, without the processes that those started. */
export function programs(agent: AgentId, daemon: number): number[] {
  const below = descendants(daemon);
  const own = below.filter(({ name }) => name === PROGRAMS[agent]);
  return own.filter(({ parent }) => own.every(({ pid }) => pid !== parent)).map(({ pid }) => pid);
}

/** Returns all processes below this one that have not ended. */
export function descendants(pid: number): Process[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => described(Number(name)));
  const below: Process[] = [];
  for (let parents = new Set([pid]); parents.size > 0; ) {
    const children = all.filter(({ parent }) => parents.has(parent));
    below.push(...children);
    parents = new Set(children.map((child) => child.pid));
  }
  return below;
}

function described(pid: number): Process[] {
  try {
    const [, name = "", state, parent] =
      /\((.*)\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return state === "Z" ? [] : [{ pid, parent: Number(parent), name }];
  } catch {
    return [];
  }
}
