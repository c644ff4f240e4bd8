// Terminals: several shells as tabs. Leaving the page does not end them, and coming back attaches again.

import { useSandboxAgent } from "@sandbox-agent/react";
import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactElement, Suspense, useState } from "react";
import { baseName } from "../core/format.ts";
import { SHELL } from "../core/processes.ts";
import { Button } from "./controls.tsx";
import { ProblemView } from "./problem.tsx";
import "../screens/terminals.css";
import "./panels.css";

const TerminalView = lazy(() => import("./terminal-view.tsx"));

export default function TerminalPanel({ cwd }: { cwd: string | undefined }): ReactElement {
  const client = useSandboxAgent();
  const [chosen, setChosen] = useState<string>();
  const [error, setError] = useState<unknown>();
  const list = useQuery({
    queryKey: ["processes"],
    refetchInterval: 3_000,
    queryFn: ({ signal }) => client.processes.list({}, { signal }),
  });
  const terminals = (list.data ?? []).filter((process) => process.tty && process.status === "running");
  const current = terminals.find((process) => process.id === chosen) ?? terminals.at(-1);
  const open = async (): Promise<void> => {
    try {
      const process = await client.processes.create({
        ...SHELL,
        tty: true,
        interactive: true,
        ...(cwd === undefined ? {} : { cwd }),
      });
      setChosen(process.id);
      setError(undefined);
      await list.refetch();
    } catch (failure) {
      setError(failure);
    }
  };
  const close = async (id: string): Promise<void> => {
    try {
      await client.processes.stop(id, { graceMs: 500 });
    } catch (failure) {
      setError(failure);
    }
    await list.refetch();
  };
  return (
    <div className="panel">
      <div className="panel-tools">
        <div className="terminal-tabs">
          {terminals.map((process, index) => (
            <Button
              key={process.id}
              look="quiet"
              size="small"
              aria-pressed={process.id === current?.id}
              onClick={() => setChosen(process.id)}
            >
              {`${index + 1} ${baseName(process.cwd ?? process.command)}`}
            </Button>
          ))}
        </div>
        {current === undefined ? null : (
          <Button
            look="quiet"
            size="small"
            icon="close"
            aria-label="End this terminal"
            title="End this terminal"
            onClick={() => void close(current.id)}
          />
        )}
        <Button
          look="quiet"
          size="small"
          icon="plus"
          aria-label="New terminal"
          title="New terminal"
          onClick={() => void open()}
        />
      </div>
      {error === undefined ? null : <ProblemView error={error} onDismiss={() => setError(undefined)} />}
      {list.isError ? <ProblemView error={list.error} onRetry={() => void list.refetch()} /> : null}
      {list.isPending ? null : current === undefined ? (
        <div className="panel-empty">
          <p>A terminal runs in the sandbox and stays when you leave this page.</p>
          <Button look="primary" onClick={() => void open()}>
            Open a terminal
          </Button>
        </div>
      ) : (
        <Suspense fallback={null}>
          <TerminalView key={current.id} id={current.id} />
        </Suspense>
      )}
    </div>
  );
}
