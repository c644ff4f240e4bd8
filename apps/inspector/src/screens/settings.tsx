// Settings: theme, MCP servers, skills, credentials, limits.

import { useSandboxAgent } from "@sandbox-agent/react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, useState } from "react";
import type { Entries, ProcessConfig } from "sandbox-agent";
import { Button } from "../components/controls.tsx";
import { CopyMenu } from "../components/copy-menu.tsx";
import { EntryEditor } from "../components/entry-editor.tsx";
import { ProblemView } from "../components/problem.tsx";
import { useConnection } from "../hooks/connection.ts";
import { type Theme, useTheme } from "../hooks/theme.ts";
import "./settings.css";

export default function SettingsScreen(): ReactElement {
  const client = useSandboxAgent();
  const { connection, disconnect } = useConnection();
  const workspace = useQuery({
    queryKey: ["root", undefined],
    queryFn: ({ signal }) => client.fs.stat(".", { signal }),
  });
  const directory = workspace.data?.path;
  return (
    <div className="settings">
      <div className="settings-inner">
        <h1 className="home-title">Settings</h1>
        <Section title="Appearance">
          <ThemeChoice />
        </Section>
        <Section title="Connection">
          <div className="settings-row">
            <code>{connection.baseUrl}</code>
            <Button size="small" onClick={() => disconnect()}>
              Disconnect
            </Button>
          </div>
        </Section>
        {directory === undefined ? null : (
          <>
            <Section title="MCP servers" note={`For new sessions in ${directory}`}>
              <ConfigList
                kind="mcp"
                entries={client.config.mcp}
                directory={directory}
                example={{ type: "local", command: "my-mcp-server", args: [] }}
              />
            </Section>
            <Section title="Skills" note={`For new sessions in ${directory}`}>
              <ConfigList
                kind="skills"
                entries={client.config.skills}
                directory={directory}
                example={{ sources: [{ type: "local", source: "/path/to/skills" }] }}
              />
            </Section>
          </>
        )}
        <Section title="Credentials" note="Found where the daemon runs">
          <Credentials />
        </Section>
        <Section title="Process limits">
          <Limits />
        </Section>
      </div>
    </div>
  );
}

function Section({
  title,
  note,
  children,
}: {
  title: string;
  note?: string;
  children: ReactNode;
}): ReactElement {
  return (
    <section aria-label={title}>
      <div className="section-head">
        <h2>{title}</h2>
        {note === undefined ? null : <span className="truncate">{note}</span>}
      </div>
      {children}
    </section>
  );
}

const THEMES: readonly { id: Theme; label: string }[] = [
  { id: "system", label: "System" },
  { id: "light", label: "Light" },
  { id: "dark", label: "Dark" },
];

function ThemeChoice(): ReactElement {
  const [theme, setTheme] = useTheme();
  return (
    <div className="segments">
      {THEMES.map(({ id, label }) => (
        <Button
          key={id}
          size="small"
          look={theme === id ? "plain" : "quiet"}
          aria-pressed={theme === id}
          onClick={() => setTheme(id)}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}

function ConfigList<T>(props: {
  kind: "mcp" | "skills";
  entries: Entries<T>;
  directory: string;
  example: T;
}): ReactElement {
  const { kind, entries, directory, example } = props;
  const queries = useQueryClient();
  const [editing, setEditing] = useState<{ name: string; value: T }>();
  const [error, setError] = useState<unknown>();
  const key = ["config", kind, directory];
  const list = useQuery({ queryKey: key, queryFn: ({ signal }) => entries.list(directory, { signal }) });
  const changed = (): void => {
    setEditing(undefined);
    void queries.invalidateQueries({ queryKey: key });
  };
  if (list.isError) return <ProblemView error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <div className="settings-list">
      {Object.entries(list.data ?? {}).map(([name, value]) => (
        <div className="settings-row" key={name}>
          <span className="agent-name">{name}</span>
          <code className="truncate">{JSON.stringify(value)}</code>
          <CopyMenu object={{ type: kind, directory, name }} name={name} />
          <Button
            look="quiet"
            size="small"
            icon="edit"
            aria-label={`Edit ${name}`}
            onClick={() => setEditing({ name, value })}
          />
          <Button
            look="quiet"
            size="small"
            icon="delete"
            aria-label={`Delete ${name}`}
            onClick={() => void entries.delete(directory, name).then(changed, setError)}
          />
        </div>
      ))}
      {error === undefined ? null : <ProblemView error={error} onDismiss={() => setError(undefined)} />}
      {editing === undefined ? (
        <div className="settings-add">
          <Button
            look="quiet"
            size="small"
            icon="plus"
            onClick={() => setEditing({ name: "", value: example })}
          >
            Add
          </Button>
        </div>
      ) : (
        <EntryEditor
          {...editing}
          onSave={async (name, value) => {
            await entries.set(directory, name, value as T);
            changed();
          }}
          onCancel={() => setEditing(undefined)}
        />
      )}
    </div>
  );
}

function Credentials(): ReactElement {
  const client = useSandboxAgent();
  const agents = useQuery({
    queryKey: ["agents"],
    queryFn: ({ signal }) => client.agents.list({}, { signal }),
  });
  if (agents.isError) return <ProblemView error={agents.error} onRetry={() => void agents.refetch()} />;
  const found = (agents.data ?? []).flatMap((agent) =>
    agent.credentials.map((credential) => ({ agent, credential })),
  );
  if (found.length === 0)
    return (
      <p className="home-sub">
        No credentials found. Log in with an agent's CLI, or set its API key in the environment of the daemon.
      </p>
    );
  return (
    <div className="settings-list">
      {found.map(({ agent, credential }) => (
        <div className="settings-row" key={`${agent.id} ${credential.origin}`}>
          <span className="agent-name">{agent.name}</span>
          <code className="truncate">{credential.origin}</code>
          <span className="agent-version">
            {credential.provider} {credential.kind}
          </span>
        </div>
      ))}
    </div>
  );
}

const LIMITS: readonly { key: keyof ProcessConfig; label: string; unit: string }[] = [
  { key: "maxConcurrentProcesses", label: "Processes at once", unit: "" },
  { key: "defaultRunTimeoutMs", label: "Default timeout of a command", unit: "ms" },
  { key: "maxRunTimeoutMs", label: "Longest timeout of a command", unit: "ms" },
  { key: "maxOutputBytes", label: "Output kept of a command", unit: "bytes" },
  { key: "maxLogBytesPerProcess", label: "Log kept of a process", unit: "bytes" },
];

function Limits(): ReactElement {
  const client = useSandboxAgent();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const limits = useQuery({
    queryKey: ["limits"],
    queryFn: ({ signal }) => client.processes.config({ signal }),
  });
  if (limits.isError) return <ProblemView error={limits.error} onRetry={() => void limits.refetch()} />;
  const save = (key: keyof ProcessConfig, value: number): void => {
    if (value === limits.data?.[key]) return;
    client.processes
      .setConfig({ [key]: value })
      .then(() => queries.invalidateQueries({ queryKey: ["limits"] }), setError);
  };
  return (
    <div className="settings-list">
      {LIMITS.map(({ key, label, unit }) => (
        <label className="settings-row" key={key}>
          <span>{label}</span>
          <input
            className="input"
            type="number"
            min={0}
            key={limits.data?.[key]}
            defaultValue={limits.data?.[key]}
            onBlur={(event) => save(key, event.target.valueAsNumber)}
          />
          <span className="settings-unit">{unit}</span>
        </label>
      ))}
      {error === undefined ? null : <ProblemView error={error} onDismiss={() => setError(undefined)} />}
    </div>
  );
}
