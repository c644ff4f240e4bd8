// A request for permission: what exactly will happen, then a decision.

import { type ReactElement, type ReactNode, useEffect, useRef, useState } from "react";
import type { PermissionReply, PermissionRequest } from "sandbox-agent";
import type { PermissionItem, PermissionState } from "sandbox-agent/transcript";
import { ruleText } from "../core/rules.ts";
import { commandOf, summarize } from "../core/tool-view.ts";
import { AlwaysForm } from "./always-form.tsx";
import { Button } from "./controls.tsx";
import { DecisionRow } from "./decision-row.tsx";
import { DiffView } from "./diff-view.tsx";
import { Icon } from "./icons.tsx";
import { Json, Output } from "./output.tsx";
import "./cards.css";

interface PermissionCardProps {
  item: PermissionItem;
  cwd: string | undefined;
  /** Place among the open requests, from 1. */
  place: { index: number; count: number } | undefined;
  onReply: (id: string, reply: PermissionReply) => void;
}

type Stage = "ask" | "always" | "reject";

export function PermissionCard({ item, cwd, place, onReply }: PermissionCardProps): ReactElement {
  const { request, state } = item;
  if (state.type === "resolved") return <PermissionDone request={request} state={state} cwd={cwd} />;
  return (
    <OpenPermission request={request} cwd={cwd} place={place} onReply={(reply) => onReply(item.id, reply)} />
  );
}

function OpenPermission(props: {
  request: PermissionRequest;
  cwd: string | undefined;
  place: PermissionCardProps["place"];
  onReply: (reply: PermissionReply) => void;
}): ReactElement {
  const { request, cwd, place, onReply } = props;
  const [stage, setStage] = useState<Stage>("ask");
  const card = useRef<HTMLFieldSetElement>(null);
  const first = place === undefined || place.index === 1;
  useEffect(() => {
    // The card takes the keys only if the reader is not writing something.
    if (first && document.activeElement?.matches("textarea, input") !== true) card.current?.focus();
  }, [first]);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.target !== card.current) return;
    if (event.key === "Enter") onReply({ reply: "once" });
    else if (event.key === "Backspace") setStage("reject");
    else if (event.key === "a") setStage("always");
    else return;
    event.preventDefault();
  };
  return (
    <fieldset
      className="card card-open"
      aria-label={`Permission: ${request.title}`}
      tabIndex={-1}
      ref={card}
      onKeyDown={onKeyDown}
    >
      <div className="card-head">
        <Icon name="shield" />
        <span className="card-title">{question(request, cwd)}</span>
        {place === undefined || place.count < 2 ? null : (
          <span className="card-count">
            {place.index} of {place.count}
          </span>
        )}
      </div>
      <Effect request={request} />
      {stage === "ask" ? (
        <div className="card-actions">
          <Button look="primary" hint="⏎" onClick={() => onReply({ reply: "once" })}>
            Allow once
          </Button>
          <Button hint="A" onClick={() => setStage("always")}>
            Always…
          </Button>
          <Button hint="⌫" onClick={() => setStage("reject")}>
            Reject
          </Button>
        </div>
      ) : null}
      {stage === "always" ? (
        <AlwaysForm request={request} onReply={onReply} onBack={() => setStage("ask")} />
      ) : null}
      {stage === "reject" ? <RejectForm onReply={onReply} onBack={() => setStage("ask")} /> : null}
    </fieldset>
  );
}

function RejectForm(props: { onReply: (reply: PermissionReply) => void; onBack: () => void }): ReactElement {
  const [reason, setReason] = useState("");
  return (
    <form
      className="card-actions"
      onSubmit={(event) => {
        event.preventDefault();
        const message = reason.trim();
        props.onReply(message === "" ? { reply: "reject" } : { reply: "reject", message });
      }}
    >
      <input
        className="input"
        aria-label="Reason for the agent, optional"
        placeholder="Tell the agent why, or what to do instead (optional)"
        value={reason}
        // biome-ignore lint/a11y/noAutofocus: the reader asked for this field
        autoFocus
        onChange={(event) => setReason(event.target.value)}
      />
      <Button type="submit" look="danger" hint="⏎">
        Reject
      </Button>
      <Button look="quiet" onClick={props.onBack}>
        Back
      </Button>
    </form>
  );
}

function question(request: PermissionRequest, cwd: string | undefined): ReactNode {
  const tool = { ...request, name: request.tool ?? "", locations: [] };
  const { verb, target } = summarize(tool, cwd);
  if (request.kind === "execute" && commandOf(request.input) !== undefined) return "Run this command?";
  return `${target === "" ? verb : `${verb} ${target}`}?`;
}

/** Shows all of what is going to happen: the command, the whole change, or the raw input. */
function Effect({ request }: { request: PermissionRequest }): ReactNode {
  const command = commandOf(request.input);
  const diffs = (request.parts ?? []).flatMap((part) =>
    part.type === "file" && part.diff !== undefined ? [{ path: part.path ?? "", diff: part.diff }] : [],
  );
  if (request.kind === "execute" && command !== undefined) return <Output text="" command={command} />;
  if (diffs.length === 0) return request.input === undefined ? null : <Json value={request.input} />;
  return diffs.map(({ path, diff }) => (
    <DiffView key={path} path={path} oldText={diff.oldText ?? ""} newText={diff.newText} />
  ));
}

const OUTCOMES = { once: "Allowed once", always: "Always allowed", reject: "Rejected" } as const;

function PermissionDone(props: {
  request: PermissionRequest;
  state: Extract<PermissionState, { type: "resolved" }>;
  cwd: string | undefined;
}): ReactElement {
  const { request, state, cwd } = props;
  const { verb, target } = summarize({ ...request, name: request.tool ?? "", locations: [] }, cwd);
  const rule = state.rule === undefined ? "" : ` (${ruleText(state.rule)})`;
  return (
    <DecisionRow
      id={request.id}
      icon={state.reply === "reject" || state.reply === undefined ? "close" : "shield"}
      outcome={state.reply === undefined ? "Not decided" : `${OUTCOMES[state.reply]}${rule}`}
      state={state}
      subject={`${verb} ${target}`}
    />
  );
}
