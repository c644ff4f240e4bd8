// Processes of this machine: who descends from whom, and who is still alive.

import { readdirSync, readFileSync } from "node:fs";

/** A process, distinguished from a later one with the same id. */
export interface Process {
  pid: number;
  parent: number;
  started: string;
  name: string;
}

function read(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const end = stat.lastIndexOf(")");
    const fields = stat.slice(end + 2).split(" ");
    // A zombie has ended; its parent has not looked yet.
    if (fields[0] === "Z") return undefined;
    const name = stat.slice(stat.indexOf("(") + 1, end);
    return { pid, parent: Number(fields[1]), started: fields[19] ?? "", name };
  } catch {
    return undefined;
  }
}

function all(): Process[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.map(read).filter((process) => process !== undefined);
}

/** Returns a process and everything below it. */
export function tree(pid: number): Process[] {
  const processes = all();
  const found = processes.filter((process) => process.pid === pid);
  for (const parent of found) found.push(...processes.filter((process) => process.parent === parent.pid));
  return found;
}

export function alive(processes: readonly Process[]): Process[] {
  return processes.filter(({ pid, started }) => read(pid)?.started === started);
}

/** Resolves when all of them have ended. The test's own time limit ends the wait. */
export async function allEnded(processes: readonly Process[]): Promise<void> {
  while (alive(processes).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
