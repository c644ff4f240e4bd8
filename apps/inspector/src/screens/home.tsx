// Home: sessions by what they need, and the agents of the sandbox.

import { useSandboxAgent, useSessions } from "@sandbox-agent/react";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useEffect, useState } from "react";
import type { AgentInfo } from "sandbox-agent";
import { AgentRow } from "../components/agent-row.tsx";
import { Button } from "../components/controls.tsx";
import { ImportButton } from "../components/import-button.tsx";
import { NewSessionDialog } from "../components/new-session.tsx";
import { ProblemView } from "../components/problem.tsx";
import { SessionColumn } from "../components/session-column.tsx";
import { DEMO_SCRIPT } from "../core/demo.ts";
import { duration } from "../core/format.ts";
import { useKeys } from "../hooks/keys.ts";
import { useRoute } from "../hooks/route.ts";
import "./home.css";

export function HomeScreen(): ReactElement {
  const client = useSandboxAgent();
  const { go } = useRoute();
  const sessions = useSessions({ refreshMs: 3_000 });
  const agents = useAgents();
  const health = useQuery({ queryKey: ["daemon"], queryFn: ({ signal }) => client.health({ signal }) });
  const [creating, setCreating] = useState<{ agent: string | undefined }>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const open = (): void => setCreating({ agent: undefined });
    window.addEventListener("new-session", open);
    return () => window.removeEventListener("new-session", open);
  }, []);
  useKeys({ c: () => setCreating({ agent: undefined }) });

  const start = async (agent: string, message?: string): Promise<void> => {
    setError(undefined);
    try {
      const session = await client.sessions.create({
        agent,
        ...(message === undefined ? {} : { title: "Demo" }),
      });
      if (message !== undefined) await session.send(message).accepted;
      go({ screen: "session", id: session.id, panel: undefined });
    } catch (failure) {
      setError(failure);
    }
  };

  return (
    <div className="home">
      <SessionColumn sessions={sessions} onNew={() => setCreating({ agent: undefined })} />
      <div className="home-main">
        <div className="home-inner">
          <header>
            <h1 className="home-title">sandbox-agent</h1>
            <p className="home-sub">
              {health.data === undefined
                ? "Connecting…"
                : `Version ${health.data.version}, running for ${duration(health.data.uptimeMs)} at ${client.baseUrl}`}
            </p>
            <div className="home-actions">
              <Button look="primary" icon="plus" hint="C" onClick={() => setCreating({ agent: undefined })}>
                New session
              </Button>
              <Button icon="run" onClick={() => void start("demo", DEMO_SCRIPT)}>
                Try the demo
              </Button>
              <ImportButton onError={setError} />
            </div>
          </header>
          {error === undefined ? null : <ProblemView error={error} onDismiss={() => setError(undefined)} />}
          <AgentsSection query={agents} onStart={(agent) => void start(agent)} />
        </div>
      </div>
      {creating === undefined ? null : (
        <NewSessionDialog
          agents={agents.data ?? []}
          agent={creating.agent}
          onClose={() => setCreating(undefined)}
        />
      )}
    </div>
  );
}

function useAgents() {
  const client = useSandboxAgent();
  return useQuery({
    queryKey: ["agents"],
    queryFn: ({ signal }) => client.agents.list({}, { signal }),
    staleTime: 10_000,
  });
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
        <Button look="quiet" size="small" onClick={() => setAll(true)}>
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
