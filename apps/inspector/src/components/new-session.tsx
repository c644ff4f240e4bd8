// Creates a session. Agent and directory come first; the rest has defaults.

import { useSandboxAgent } from "@sandbox-agent/react";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import type { AgentInfo, CreateOptions, PermissionMode } from "sandbox-agent";
import { createOptions, emptyForm, type SessionForm } from "../core/session-form.ts";
import { useAgents } from "../hooks/agents.ts";
import { useRoute } from "../hooks/route.ts";
import { Button, Field } from "./controls.tsx";
import { Dialog } from "./dialog.tsx";
import { DirectoryField } from "./directory-field.tsx";
import { ProblemView } from "./problem.tsx";
import "./new-session.css";

interface NewSessionProps {
  onClose: () => void;
}

/** Waits for the agents, because the best of them is chosen at first. */
export default function NewSessionDialog({ onClose }: NewSessionProps): ReactElement | null {
  const { data, error, refetch } = useAgents();
  if (data !== undefined) return <NewSession agents={data} onClose={onClose} />;
  if (error === null) return null;
  return (
    <Dialog label="New session" onClose={onClose}>
      <div className="dialog-body">
        <ProblemView error={error} onRetry={() => void refetch()} />
      </div>
    </Dialog>
  );
}

function NewSession(props: NewSessionProps & { agents: readonly AgentInfo[] }): ReactElement {
  const { agents, onClose } = props;
  const client = useSandboxAgent();
  const { go } = useRoute();
  const ready = agents.filter((one) => one.installed || one.builtIn);
  const first = ready.find((one) => one.id !== "demo" && one.credentialsAvailable)?.id ?? "demo";
  const [form, setForm] = useState<SessionForm>(() => emptyForm(first));
  const [more, setMore] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const set = (change: Partial<SessionForm>): void => setForm((now) => ({ ...now, ...change }));
  const submit = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const options: CreateOptions = createOptions(form);
      const session = await client.sessions.create(options);
      onClose();
      go({ screen: "session", id: session.id, panel: undefined });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog label="New session" onClose={onClose}>
      <form
        className="new-session"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div className="dialog-body">
          <div className="form-row">
            <Field label="Agent">
              <select
                className="input"
                value={form.agent}
                onChange={(event) => set({ agent: event.target.value, mode: "", model: "", variant: "" })}
              >
                {[...ready, ...agents.filter((one) => !ready.includes(one))].map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.name}
                    {ready.includes(one) ? "" : " (will be installed)"}
                  </option>
                ))}
              </select>
            </Field>
            <Field label="Permissions">
              <select
                className="input"
                value={form.permissionMode}
                onChange={(event) => set({ permissionMode: event.target.value as PermissionMode })}
              >
                <option value="default">Ask before edits and commands</option>
                <option value="plan">Plan: read only</option>
                <option value="bypass">Bypass: never ask</option>
              </select>
            </Field>
          </div>
          <DirectoryField value={form.cwd} onChange={(cwd) => set({ cwd })} />
          {more ? (
            <MoreFields form={form} set={set} />
          ) : (
            <Button
              look="quiet"
              size="small"
              className="form-more"
              icon="chevron"
              onClick={() => setMore(true)}
            >
              Model, mode, env, MCP, skills, policy
            </Button>
          )}
          {error === undefined ? null : <ProblemView error={error} onRetry={() => void submit()} />}
        </div>
        <div className="dialog-foot">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" type="submit" data-first="" disabled={busy} hint="⏎">
            {busy ? "Starting…" : "Start session"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function MoreFields({
  form,
  set,
}: {
  form: SessionForm;
  set: (change: Partial<SessionForm>) => void;
}): ReactElement {
  const client = useSandboxAgent();
  const models = useQuery({
    queryKey: ["models", form.agent],
    queryFn: ({ signal }) => client.agents.models(form.agent, {}, { signal }),
  });
  const modes = useQuery({
    queryKey: ["modes", form.agent],
    queryFn: ({ signal }) => client.agents.modes(form.agent, {}, { signal }),
  });
  const text = (name: keyof SessionForm) => ({
    className: "input",
    value: form[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  });
  return (
    <>
      <div className="form-row">
        <Field label="Title">
          <input {...text("title")} placeholder="Chosen by the agent" />
        </Field>
        <Choice label="Mode" list={modes.data?.modes ?? []} {...text("mode")} />
      </div>
      <div className="form-row">
        <Choice label="Model" list={models.data?.models ?? []} {...text("model")} />
        <Choice label="Effort" list={models.data?.variants ?? []} {...text("variant")} />
      </div>
      <Field label="Environment" hint="One NAME=value per line. Kept in memory only.">
        <textarea {...text("env")} rows={2} spellCheck={false} />
      </Field>
      <Field label="MCP servers" hint="JSON, by name, on top of those of the directory.">
        <textarea
          {...text("mcp")}
          rows={2}
          spellCheck={false}
          placeholder='{"docs":{"type":"remote","url":"https://…"}}'
        />
      </Field>
      <Field label="Skills" hint="JSON, by name.">
        <textarea
          {...text("skills")}
          rows={2}
          spellCheck={false}
          placeholder='{"team":{"sources":[{"type":"local","source":"/skills"}]}}'
        />
      </Field>
      <Field label="Policy" hint="JSON. Rules that decide without you.">
        <textarea
          {...text("policy")}
          rows={2}
          spellCheck={false}
          placeholder='{"rules":[{"tool":"read","decision":"allow"}]}'
        />
      </Field>
    </>
  );
}

function Choice(props: {
  label: string;
  list: readonly { id: string; name: string }[];
  value: string;
  className: string;
  onChange: (event: { target: { value: string } }) => void;
}): ReactElement {
  return (
    <Field label={props.label}>
      <select className={props.className} value={props.value} onChange={props.onChange}>
        <option value="">Default of the agent</option>
        {props.list.map((choice) => (
          <option key={choice.id} value={choice.id}>
            {choice.name}
          </option>
        ))}
      </select>
    </Field>
  );
}
