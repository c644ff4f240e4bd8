// The header of a session: title, facts, panels, actions.

import { useSandboxAgent } from "@sandbox-agent/react";
import { type ReactElement, useState } from "react";
import type { SessionChoice } from "sandbox-agent";
import type { SessionStore } from "sandbox-agent/stores";
import { compact, cost } from "../core/format.ts";
import { markdownOf } from "../core/markdown-file.ts";
import { PANELS, type Panel } from "../core/routes.ts";
import { dotOf, sessionTitle } from "../core/session-list.ts";
import { useRoute } from "../hooks/route.ts";
import type { SessionFacts } from "../screens/session.tsx";
import { Button } from "./controls.tsx";
import { useCopyEntries } from "./copy-menu.tsx";
import { Icon, type IconName } from "./icons.tsx";
import { MenuButton, type MenuEntry } from "./menu.tsx";

const TABS: Record<Panel, { icon: IconName; label: string }> = {
  changes: { icon: "diff", label: "Changes" },
  events: { icon: "events", label: "Events" },
  files: { icon: "files", label: "Files" },
  terminal: { icon: "terminal", label: "Terminal" },
};

interface SessionHeadProps {
  store: SessionStore;
  facts: SessionFacts;
  panel: Panel | undefined;
  onPanel: (panel: Panel | undefined) => void;
  onFork: () => void;
  onError: (error: unknown) => void;
}

export function SessionHead(props: SessionHeadProps): ReactElement {
  const { store, facts, panel, onPanel } = props;
  const { info, usage } = facts;
  const [editing, setEditing] = useState(false);
  const title =
    info === undefined
      ? ""
      : sessionTitle({ ...info, ...(facts.title === undefined ? {} : { title: facts.title }) });
  return (
    <header className="session-head">
      {editing ? (
        <TitleField
          title={title}
          onDone={(next) => {
            setEditing(false);
            if (next !== undefined && next !== title) void store.change({ title: next });
          }}
        />
      ) : (
        <h1
          className="session-title truncate"
          title="Double-click to rename"
          onDoubleClick={() => setEditing(true)}
        >
          {title}
        </h1>
      )}
      <div className="session-facts">
        <State state={facts.state} />
        <span className="session-fact">{info?.agent}</span>
        <Choice list={facts.choices?.models} id={facts.choices?.model} />
        <Choice list={facts.choices?.modes} id={facts.choices?.mode} />
        <span className="session-fact session-cwd truncate" title={info?.cwd}>
          {info?.cwd}
        </span>
        {usage?.cost === undefined ? null : <span className="session-fact">{cost(usage.cost)}</span>}
        {usage?.contextUsed === undefined || usage.contextSize === undefined ? null : (
          <span
            className="session-fact"
            title={`${usage.contextUsed} of ${usage.contextSize} tokens of context`}
          >
            {compact(usage.contextUsed)} of {compact(usage.contextSize)} tokens
          </span>
        )}
      </div>
      <div className="session-tabs">
        <Button
          className="transcript-tab"
          look="quiet"
          size="small"
          aria-pressed={panel === undefined}
          onClick={() => onPanel(undefined)}
        >
          Chat
        </Button>
        {PANELS.map((name) => (
          <Button
            key={name}
            look="quiet"
            size="small"
            aria-pressed={panel === name}
            aria-label={TABS[name].label}
            title={TABS[name].label}
            onClick={() => onPanel(panel === name ? undefined : name)}
          >
            <Icon name={TABS[name].icon} />
            <span className="tab-label">{TABS[name].label}</span>
          </Button>
        ))}
      </div>
      <div className="session-menu">
        <MenuButton
          name="Session actions"
          label={<Icon name="more" />}
          entries={useEntries(props, () => setEditing(true))}
        />
      </div>
    </header>
  );
}

/** The name of what is chosen, as the agent spells it. */
function Choice(props: {
  list: readonly SessionChoice[] | undefined;
  id: string | undefined;
}): ReactElement | null {
  const chosen = props.list?.find((choice) => choice.id === props.id);
  return chosen === undefined ? null : <span className="session-fact session-choice">{chosen.name}</span>;
}

const STATES: Record<string, string> = {
  starting: "Starting",
  idle: "Idle",
  running: "Running",
  requiresAction: "Needs you",
  interrupted: "Interrupted",
  ended: "Ended",
};

function State({ state }: { state: SessionFacts["state"] }): ReactElement {
  return (
    <span
      className={`session-state ${state === "requiresAction" ? "session-state-needs" : ""}`}
      data-state={state}
    >
      <span className={dotOf(state)} aria-hidden="true" />
      <span className="session-state-name">{STATES[state] ?? state}</span>
    </span>
  );
}

function TitleField({
  title,
  onDone,
}: {
  title: string;
  onDone: (title: string | undefined) => void;
}): ReactElement {
  return (
    <input
      className="input session-title-input"
      aria-label="Title"
      defaultValue={title}
      // biome-ignore lint/a11y/noAutofocus: the reader asked for this field
      autoFocus
      onFocus={(event) => event.target.select()}
      onBlur={(event) => onDone(event.target.value.trim())}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key === "Escape") onDone(undefined);
      }}
    />
  );
}

function useEntries(props: SessionHeadProps, onRename: () => void): MenuEntry[] {
  const { store, facts, onFork, onError } = props;
  const client = useSandboxAgent();
  const { go } = useRoute();
  const copies = useCopyEntries({ type: "session", id: store.id });
  const download = async (): Promise<void> => {
    const session = await client.sessions.get(store.id);
    const blob = await new Response(await session.export()).blob();
    saveFile(blob, `${store.id}.jsonl`);
  };
  const share = async (): Promise<void> => {
    const session = await client.sessions.get(store.id);
    const text = await markdownOf(session);
    saveFile(new Blob([text], { type: "text/markdown" }), `${store.id}.md`);
  };
  const remove = async (): Promise<void> => {
    if (!window.confirm("Delete this session with its history?")) return;
    const session = await client.sessions.get(store.id);
    await session.delete();
    go({ screen: "home" });
  };
  return [
    { label: "Rename", icon: "edit", onSelect: onRename },
    { label: "Fork", detail: "A copy with the same history", icon: "fork", onSelect: onFork },
    {
      label: "Export",
      detail: "A file that another daemon can import",
      icon: "download",
      onSelect: () => void download().catch(onError),
    },
    {
      label: "Save as Markdown",
      detail: "The conversation as a file to read and share",
      icon: "download",
      onSelect: () => void share().catch(onError),
    },
    ...copies,
    ...(facts.state === "interrupted"
      ? [{ label: "Start the agent", icon: "run" as const, onSelect: () => void store.resume() }]
      : []),
    ...(facts.state === "ended"
      ? []
      : [{ label: "End session", icon: "stop" as const, onSelect: () => void store.terminate() }]),
    { label: "Delete", icon: "delete", danger: true, onSelect: () => void remove().catch(onError) },
  ];
}

export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
