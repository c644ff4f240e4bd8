// Processes of the sandbox: what runs, what ended and how, and its output.

import { useSandboxAgent } from "@sandbox-agent/react";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import type { ProcessInfo } from "sandbox-agent";
import { ago, exactTime } from "../core/format.ts";
import { processTitle } from "../core/processes.ts";
import { Button } from "./controls.tsx";
import { CopyMenu } from "./copy-menu.tsx";
import { Output } from "./output.tsx";
import { ProblemView } from "./problem.tsx";

export function ProcessList(): ReactElement {
  const client = useSandboxAgent();
  const list = useQuery({
    queryKey: ["processes"],
    refetchInterval: 3_000,
    queryFn: ({ signal }) => client.processes.list({}, { signal }),
  });
  const processes = [...(list.data ?? [])].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return (
    <section className="processes" aria-label="Processes">
      <div className="panel-tools">
        <h2 className="panel-title">Processes</h2>
      </div>
      <div className="panel-scroll">
        {list.isError ? <ProblemView error={list.error} onRetry={() => void list.refetch()} /> : null}
        {processes.map((process) => (
          <ProcessRow key={process.id} process={process} onChanged={() => void list.refetch()} />
        ))}
        {processes.length === 0 ? (
          <p className="panel-empty">Processes and terminals of the sandbox appear here.</p>
        ) : null}
      </div>
    </section>
  );
}

function ProcessRow({ process, onChanged }: { process: ProcessInfo; onChanged: () => void }): ReactElement {
  const client = useSandboxAgent();
  const [open, setOpen] = useState(false);
  const [error, setError] = useState<unknown>();
  const running = process.status === "running";
  const act = (action: Promise<unknown>): void => {
    action.then(onChanged, setError);
  };
  const line = [process.command, ...process.args].join(" ");
  return (
    <div className="process">
      <div className="process-line">
        <span className={running ? "dot dot-running" : "dot"} />
        <code className="truncate" title={line}>
          {processTitle(process)}
        </code>
        <Button
          look="quiet"
          size="small"
          icon="terminal"
          aria-label="Output"
          title="Output"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
        <CopyMenu object={{ type: "process", id: process.id }} name="process" />
        {running ? (
          <Button
            look="quiet"
            size="small"
            icon="stop"
            aria-label="Stop process"
            title="Stop process"
            onClick={() => act(client.processes.stop(process.id))}
          />
        ) : (
          <Button
            look="quiet"
            size="small"
            icon="delete"
            aria-label="Forget process"
            title="Forget process"
            onClick={() => act(client.processes.delete(process.id))}
          />
        )}
      </div>
      <div className="process-note">
        <span>{running ? `pid ${process.pid ?? "?"}` : ended(process)}</span>
        <time dateTime={process.createdAt} title={exactTime(process.createdAt)}>
          {ago(process.createdAt)}
        </time>
      </div>
      {error === undefined ? null : <ProblemView error={error} onDismiss={() => setError(undefined)} />}
      {open ? <ProcessOutput id={process.id} /> : null}
    </div>
  );
}

function ended(process: ProcessInfo): string {
  if (process.oomKilled === true) return "killed: out of memory";
  if (process.signal !== undefined) return `ended by signal ${process.signal}`;
  return `exit ${process.exitCode ?? "?"}`;
}

function ProcessOutput({ id }: { id: string }): ReactElement {
  const client = useSandboxAgent();
  const logs = useQuery({
    queryKey: ["logs", id],
    refetchInterval: 2_000,
    queryFn: ({ signal }) => client.processes.logs(id, { tail: 500 }, { signal }),
  });
  if (logs.isError) return <ProblemView error={logs.error} onRetry={() => void logs.refetch()} />;
  const text = (logs.data?.entries ?? []).map((entry) => entry.text).join("");
  return text === "" ? <p className="panel-empty">No output yet.</p> : <Output text={text} />;
}
