// The list of sessions, grouped by what they need from the reader.

import type { SessionInfo, SessionState } from "sandbox-agent";
import { baseName } from "./format.ts";
import { fuzzyFilter } from "./fuzzy.ts";

export interface SessionGroup {
  readonly name: string;
  readonly sessions: readonly SessionInfo[];
}

const GROUPS: readonly { name: string; states: readonly SessionState[] }[] = [
  { name: "Needs you", states: ["requiresAction"] },
  { name: "Running", states: ["running", "starting"] },
  { name: "Idle", states: ["idle", "interrupted"] },
  { name: "Ended", states: ["ended"] },
];

export function sessionTitle(session: SessionInfo): string {
  const title = session.title?.trim();
  return title === undefined || title === "" ? `${session.agent} in ${baseName(session.cwd)}` : title;
}

/** Returns the groups that are not empty, each with the session that changed last first. */
export function groupSessions(sessions: readonly SessionInfo[], query: string): SessionGroup[] {
  const text = (session: SessionInfo): string =>
    `${sessionTitle(session)} ${session.agent} ${session.cwd} ${session.sessionId}`;
  const found = new Set(fuzzyFilter(query, sessions, text));
  return GROUPS.map(({ name, states }) => ({
    name,
    sessions: sessions
      .filter((session) => found.has(session) && states.includes(session.state))
      .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)),
  })).filter((group) => group.sessions.length > 0);
}

/** Returns what stands in one line below the title. */
export function sessionNote(session: SessionInfo): string {
  const [permission] = session.permissions;
  if (permission !== undefined) return `Permission: ${permission.title.replaceAll(`${session.cwd}/`, "")}`;
  const [question] = session.questions;
  if (question !== undefined)
    return question.planApproval === true
      ? "A plan to approve"
      : (question.questions[0]?.question ?? "A question");
  if (!session.healthy && session.error !== undefined) return "The agent could not be started";
  if (session.queued > 0) return `${session.queued} queued`;
  return session.cwd;
}

export function dotOf(state: SessionState): string {
  if (state === "requiresAction") return "dot dot-needs";
  return state === "running" || state === "starting" ? "dot dot-running" : "dot";
}
