// The name under which this page decides, and which decisions were its own.

/** Decisions that a tab remembers as its own. */
const KEPT = 200;
const KEY = "sandbox-agent.decided";

/** Returns a name that other clients show, such as `Inspector, Chrome on Linux`. */
export function clientName(userAgent: string): string {
  const browser = /(Edg|Firefox|Chrome|Safari)\//.exec(userAgent)?.[1]?.replace("Edg", "Edge");
  const system = /(Windows|Mac OS|Android|Linux|iPhone|iPad)/
    .exec(userAgent)?.[1]
    ?.replace("Mac OS", "macOS");
  const where = [browser, system].filter((name) => name !== undefined).join(" on ");
  return where === "" ? "Inspector" : `Inspector, ${where}`;
}

/** Remembers that this tab decided on a request. It survives a reload. */
export function rememberDecision(storage: Storage, id: string): void {
  const ids = [...decisions(storage).filter((known) => known !== id), id];
  storage.setItem(KEY, JSON.stringify(ids.slice(-KEPT)));
}

/** Another client was faster. */
export function forgetDecision(storage: Storage, id: string): void {
  storage.setItem(KEY, JSON.stringify(decisions(storage).filter((known) => known !== id)));
}

export function isOwnDecision(storage: Storage, id: string): boolean {
  return decisions(storage).includes(id);
}

function decisions(storage: Storage): string[] {
  try {
    const ids: unknown = JSON.parse(storage.getItem(KEY) ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

const CAUSES: Record<string, string> = {
  rule: "by a rule",
  permissionMode: "by the permission mode",
  agent: "by the agent",
  timeout: "after the timeout",
  withdrawn: "because the agent took it back",
  turnEnded: "because the turn ended",
  agentEnded: "because the agent ended",
  daemonRestarted: "because the daemon was restarted",
};

/** Returns who or what decided. `own` is true if this tab did. */
export function decidedBy(by: string, client: string | undefined, own: boolean): string {
  if (by !== "client") return CAUSES[by] ?? `by ${by}`;
  return own ? "by you" : `by ${client ?? "another client"}`;
}
