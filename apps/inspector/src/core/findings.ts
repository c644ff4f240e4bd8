// Problems that keep an agent from starting, in the order in which a start meets them.

import type { AgentInfo } from "sandbox-agent";

export interface Finding {
  readonly check: string;
  readonly verdict: "fine" | "note" | "wrong";
  readonly detail: string;
  readonly advice?: string;
}

/** Result of asking the agent for its settings, which starts it. */
export type Handshake = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Returns the findings about an agent, as `sandbox-agent doctor` reports them. */
export function findingsOf(agent: AgentInfo, handshake?: Handshake, now: number = Date.now()): Finding[] {
  if (agent.launch.kind === "installOnly") {
    return [
      {
        check: "launch",
        verdict: "wrong",
        detail: "It can be installed, but it does not speak ACP.",
        advice: "Use another agent, or a newer version of sandbox-agent.",
      },
    ];
  }
  const findings = [program(agent), ...credentials(agent, now)];
  if (handshake !== undefined) findings.push(answer(handshake));
  return findings;
}

/** Returns the finding that a reader should see first. */
export function worstOf(findings: readonly Finding[]): Finding | undefined {
  return (
    findings.find(({ verdict }) => verdict === "wrong") ?? findings.find(({ verdict }) => verdict === "note")
  );
}

function program(agent: AgentInfo): Finding {
  const check = "program";
  if (agent.builtIn && agent.path === undefined && agent.installed) {
    return { check, verdict: "fine", detail: "Built in." };
  }
  if (agent.installed) {
    const source =
      agent.source === "path" ? "on PATH, not installed by sandbox-agent" : `from ${agent.source ?? "?"}`;
    const version = agent.version === undefined ? "" : `Version ${agent.version} `;
    return {
      check,
      verdict: "fine",
      detail: `${version}${source}${agent.path === undefined ? "" : `: ${agent.path}`}`,
    };
  }
  if (!agent.installable) {
    const advice = "Install it in the sandbox, or correct the agent's command.";
    return { check, verdict: "wrong", detail: "It is not there, and cannot be installed here.", advice };
  }
  const advice = "Install it now to save the wait.";
  return { check, verdict: "note", detail: "Not installed. The first session installs it.", advice };
}

function credentials(agent: AgentInfo, now: number): Finding[] {
  const check = "credential";
  if (agent.credentialStatus === "notNeeded") return [{ check, verdict: "fine", detail: "None is needed." }];
  const isExpired = (at: string | undefined): boolean => at !== undefined && Date.parse(at) <= now;
  const usable = agent.credentials.find(({ expiresAt }) => !isExpired(expiresAt));
  if (usable !== undefined) {
    return [{ check, verdict: "fine", detail: `${usable.provider} (${usable.kind}) in ${usable.origin}` }];
  }
  if (agent.credentials.length > 0) {
    const advice = "Log in again with the agent's CLI.";
    return [{ check, verdict: "wrong", detail: "All that were found have expired.", advice }];
  }
  if (agent.credentialStatus !== "missing") return [];
  const advice =
    "Log in with the agent's CLI, set its API key in the environment of the daemon, or give a session a token.";
  return [{ check, verdict: "wrong", detail: "No credentials were found.", advice }];
}

function answer(handshake: Handshake): Finding {
  const check = "handshake";
  if (handshake.ok)
    return { check, verdict: "fine", detail: "It starts, and answers initialize and session/new." };
  const advice = "Run `sandbox-agent doctor` in the sandbox for the details.";
  return { check, verdict: "wrong", detail: handshake.reason, advice };
}
