// The findings about one agent, and a check that starts it.

import { useSandboxAgent } from "@sandbox-agent/react";
import { type ReactElement, useState } from "react";
import type { AgentInfo } from "sandbox-agent";
import { type Finding, findingsOf, type Handshake } from "../core/findings.ts";
import { describeError } from "../core/problem.ts";
import { Button, Spinner } from "./controls.tsx";
import { CopyMenu } from "./copy-menu.tsx";
import { Icon, type IconName } from "./icons.tsx";

type Check = { state: "none" } | { state: "running" } | { state: "done"; handshake: Handshake };

const ICONS: Record<Finding["verdict"], IconName> = { fine: "check", note: "more", wrong: "close" };

export default function AgentFindings({ agent }: { agent: AgentInfo }): ReactElement {
  const client = useSandboxAgent();
  const [check, setCheck] = useState<Check>({ state: "none" });
  const run = async (): Promise<void> => {
    setCheck({ state: "running" });
    const handshake = await client.agents.get(agent.id, { config: true, noCache: true }).then(
      (asked): Handshake =>
        asked.configError === undefined ? { ok: true } : { ok: false, reason: asked.configError },
      (error: unknown): Handshake => ({ ok: false, reason: describeError(error).detail ?? String(error) }),
    );
    setCheck({ state: "done", handshake });
  };
  const findings = findingsOf(agent, check.state === "done" ? check.handshake : undefined);
  return (
    <fieldset className="findings" aria-label={`Findings about ${agent.name}`}>
      <ul>
        {findings.map((finding) => (
          <li className={`finding finding-${finding.verdict}`} key={finding.check}>
            <Icon name={ICONS[finding.verdict]} />
            <span className="finding-check">{finding.check}</span>
            <span>
              {finding.detail}
              {finding.advice === undefined ? null : (
                <span className="finding-advice"> {finding.advice}</span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <div className="card-actions">
        <Button
          size="small"
          disabled={check.state === "running" || !agent.installed}
          title="Starts the agent and asks for a session"
          onClick={() => void run()}
        >
          {check.state === "running" ? <Spinner /> : null}
          Check that it starts
        </Button>
        <CopyMenu object={{ type: "agent", id: agent.id }} name={agent.name} />
      </div>
    </fieldset>
  );
}
