// One agent: version, credentials, and installation with progress.

import { useSandboxAgent } from "@sandbox-agent/react";
import { useQueryClient } from "@tanstack/react-query";
import { lazy, type ReactElement, Suspense, useState } from "react";
import type { AgentInfo, InstallEvent } from "sandbox-agent";
import { findingsOf, worstOf } from "../core/findings.ts";
import { bytes } from "../core/format.ts";
import { describeError } from "../core/problem.ts";
import { Button } from "./controls.tsx";

// Most readers never open it, and it brings a menu.
const AgentFindings = lazy(() => import("./agent-findings.tsx"));

type Install =
  | { state: "none" }
  | { state: "running"; event: InstallEvent | undefined }
  | { state: "failed"; error: unknown };

export function AgentRow({ agent, onStart }: { agent: AgentInfo; onStart: () => void }): ReactElement {
  const client = useSandboxAgent();
  const queries = useQueryClient();
  const [install, setInstall] = useState<Install>({ state: "none" });
  const run = async (): Promise<void> => {
    setInstall({ state: "running", event: undefined });
    try {
      const installation = client.agents.install(agent.id);
      for await (const event of installation) setInstall({ state: "running", event });
      await installation;
      await queries.invalidateQueries({ queryKey: ["agents"] });
      setInstall({ state: "none" });
    } catch (error) {
      setInstall({ state: "failed", error });
    }
  };
  const ready = agent.installed || agent.builtIn;
  const [open, setOpen] = useState(false);
  return (
    <div className="agent-row">
      <button
        type="button"
        className="agent-name truncate"
        title={agent.description}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {agent.name} <span className="agent-version">{agent.version}</span>
      </button>
      <div className="agent-info">
        <AgentNote agent={agent} install={install} />
      </div>
      {ready ? (
        <Button size="small" onClick={onStart} aria-label={`Start a session with ${agent.name}`}>
          Start
        </Button>
      ) : (
        <Button
          size="small"
          disabled={install.state === "running" || !agent.installable}
          aria-label={`Install ${agent.name}`}
          onClick={() => void run()}
        >
          {install.state === "failed" ? "Retry" : "Install"}
        </Button>
      )}
      {open ? (
        <Suspense fallback={null}>
          <AgentFindings agent={agent} />
        </Suspense>
      ) : null}
    </div>
  );
}

function AgentNote({ agent, install }: { agent: AgentInfo; install: Install }): ReactElement {
  if (install.state === "failed") {
    const { title, detail } = describeError(install.error);
    return (
      <div className="agent-note agent-note-missing" role="alert">
        {title}: {detail}
      </div>
    );
  }
  if (install.state === "running") return <Progress event={install.event} />;
  // Agents that are not installed describe themselves; those that are say what stands in their way.
  const problem = agent.installed ? worstOf(findingsOf(agent)) : undefined;
  return (
    <div className={`agent-note ${problem === undefined ? "" : "agent-note-missing"}`}>
      {problem === undefined ? credentials(agent) : problem.detail}
    </div>
  );
}

function credentials(agent: AgentInfo): string {
  const [found] = agent.credentials;
  if (found !== undefined) return `Credentials: ${found.origin}`;
  return agent.description ?? (agent.credentialStatus === "notNeeded" ? "Needs no credentials" : "");
}

const STEPS: Record<string, string> = {
  waiting: "Waiting for another installation",
  resolving: "Looking for the newest version",
  downloading: "Downloading",
  verifying: "Verifying the checksum",
  unpacking: "Unpacking",
  activating: "Activating",
  done: "Installed",
};

function Progress({ event }: { event: InstallEvent | undefined }): ReactElement {
  const step = event === undefined ? "Starting" : (STEPS[event.step] ?? event.step);
  const download = event?.step === "downloading" ? event : undefined;
  const size =
    download === undefined
      ? ""
      : ` ${bytes(download.received)}${download.total === undefined ? "" : ` of ${bytes(download.total)}`}`;
  const share =
    download?.total === undefined || download.total === 0 ? undefined : download.received / download.total;
  return (
    <div className="agent-note" role="status">
      {step}
      {size}
      {share === undefined ? null : (
        <div className="progress">
          <span style={{ width: `${Math.round(share * 100)}%` }} />
        </div>
      )}
    </div>
  );
}
