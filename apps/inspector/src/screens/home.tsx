// Home: sessions by what they need, and the agents of the sandbox.

import { useSandboxAgent, useSessions } from "@sandbox-agent/react";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import type { AgentInfo } from "sandbox-agent";
import { AgentRow } from "../components/agent-row.tsx";
import { Button } from "../components/controls.tsx";
import { ImportButton } from "../components/import-button.tsx";
import { ProblemView } from "../components/problem.tsx";
import { SessionColumn } from "../components/session-column.tsx";
import { DEMO_PROMPT, DEMO_TITLE } from "../core/demo.ts";
import { duration } from "../core/format.ts";
import { useAgents } from "../hooks/agents.ts";
import { useRoute } from "../hooks/route.ts";
import "./home.css";

export function HomeScreen({ onNew }: { onNew: () => void }): ReactElement {
  const client = useSandboxAgent();
  const { go } = useRoute();
  const sessions = useSessions({ refreshMs: 3_000 });
  const agents = useAgents();
  const health = useQuery({ queryKey: ["daemon"], queryFn: ({ signal }) => client.health({ signal }) });
  const [error, setError] = useState<unknown>();

  const start = async (agent: string, message?: string): Promise<void> => {
    setError(undefined);
    try {
      const session = await client.sessions.create({
        agent,
        ...(message === undefined ? {} : { title: DEMO_TITLE }),
      });
      if (message !== undefined) await session.send(message).accepted;
      go({ screen: "session", id: session.id, panel: undefined });
    } catch (failure) {
      setError(failure);
    }
  };

  return (
    <div className="home">
      <SessionColumn sessions={sessions} onNew={onNew} />
      <div className="home-main">
        <div className="home-inner">
          <header>
            <h1 className="home-title">sandbox-agent</h1>
            <p className="home-sub">
              {health.data === undefined
                ? "Connecting…"
                : `Version ${health.data.version} · up ${duration(health.data.uptimeMs)} · ${client.baseUrl.replace(/^https?:\/\//, "")}`}
            </p>
            <div className="home-actions">
              <Button look="primary" icon="plus" hint="C" onClick={onNew}>
                New session
              </Button>
              <Button icon="run" onClick={() => void start("demo", DEMO_PROMPT)}>
                Try the demo
              </Button>
              <ImportButton onError={setError} />
            </div>
          </header>
          {error === undefined ? null : <ProblemView error={error} onDismiss={() => setError(undefined)} />}
          <AgentsSection query={agents} onStart={(agent) => void start(agent)} />
        </div>
      </div>
    </div>
  );
}

/** Agents that most readers look for. The others are behind a button. */
const FIRST = ["claude", "codex", "opencode", "amp", "demo"];

function AgentsSection(props: {
  query: ReturnType<typeof useAgents>;
  onStart: (agent: string) => void;
}): ReactElement {
  const { query, onStart } = props;
  const [all, setAll] = useState(false);
  const agents = query.data ?? [];
  const first = agents.filter((agent) => agent.installed || FIRST.includes(agent.id)).sort(byUse);
  const shown = all ? [...first, ...agents.filter((agent) => !first.includes(agent))] : first;
  const installed = agents.filter((agent) => agent.installed || agent.builtIn).length;
  return (
    <section aria-label="Agents">
      <div className="section-head">
        <h2>Agents</h2>
        {query.data === undefined ? null : (
          <span>
            {installed} installed, {agents.length} available
          </span>
        )}
      </div>
      {query.isError ? <ProblemView error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.isPending ? <div className="skeleton" style={{ height: 220 }} /> : null}
      {shown.length === 0 ? null : (
        <div className="agent-list">
          {shown.map((agent) => (
            <AgentRow key={agent.id} agent={agent} onStart={() => onStart(agent.id)} />
          ))}
        </div>
      )}
      {all || shown.length === agents.length ? null : (
        <Button look="quiet" size="small" className="agent-more" onClick={() => setAll(true)}>
          Show all {agents.length} agents
        </Button>
      )}
    </section>
  );
}

function byUse(a: AgentInfo, b: AgentInfo): number {
  const place = (agent: AgentInfo): number => {
    const index = FIRST.indexOf(agent.id);
    return (agent.installed ? 0 : 100) + (index === -1 ? FIRST.length : index);
  };
  return place(a) - place(b);
}
