// Events of the session itself: errors, notices, changes of mode, restarts.

import type { ReactElement } from "react";
import type { TranscriptItem } from "sandbox-agent/transcript";
import { Button } from "./controls.tsx";
import { Fold } from "./fold.tsx";
import { Json, Output } from "./output.tsx";
import "./cards.css";

type EventItem = Exclude<
  TranscriptItem,
  | { kind: "user" }
  | { kind: "assistant" }
  | { kind: "permission" }
  | { kind: "question" }
  | { kind: "turnEnd" }
>;

export function SessionEvent({ item, onResume }: { item: EventItem; onResume: () => void }): ReactElement {
  switch (item.kind) {
    case "error":
      return <ErrorEvent item={item} onResume={onResume} />;
    case "notice":
      return (
        <div
          className={`problem ${item.notice.severity === "error" ? "" : `problem-${item.notice.severity}`}`}
          role="status"
        >
          <div className="problem-title">{item.notice.title}</div>
          {item.notice.description === undefined ? null : (
            <div className="problem-detail">{item.notice.description}</div>
          )}
        </div>
      );
    case "mode": {
      const { mode, model, variant } = item.choices;
      return (
        <Note
          text={["Now", [mode, model, variant].filter((name) => name !== undefined).join(" · ")].join(" ")}
        />
      );
    }
    case "continuity":
      return <Note text={CONTINUITY[item.continuity.kind] ?? item.continuity.kind} />;
    case "ended":
      return <Note text="The session was ended. Its history stays." />;
    case "gap":
      return <Note text="Older events are no longer kept here." />;
    case "compaction":
      return (
        <Fold icon="refresh" verb="The conversation was summed up">
          {item.compaction.summary === undefined ? null : <Output text={item.compaction.summary} />}
        </Fold>
      );
    default:
      return (
        <Fold icon="events" verb={`Event ${item.type}`}>
          <Json value={item.data} />
        </Fold>
      );
  }
}

const CONTINUITY: Record<string, string> = {
  native: "The agent was started again and remembers everything.",
  replayed: "The agent was started again. It was given the conversation as text.",
  lost: "The agent was started again and remembers nothing.",
};

function Note({ text }: { text: string }): ReactElement {
  return <div className="line-note">{text}</div>;
}

const ADVICE: Record<string, string> = {
  agentExited: "Send a message, or start the agent again.",
  authRequired: "Log in with the agent's own CLI, or set its API key in the environment of the daemon.",
  installFailed: "Check the network of the sandbox, then install the agent on Home.",
  spawnFailed: "Run `sandbox-agent doctor` in the sandbox. It explains why the agent does not start.",
  timeout: "The agent did not answer in time. Try again.",
  promptFailed: "Send the message again, or another one.",
};

function ErrorEvent({
  item,
  onResume,
}: {
  item: Extract<EventItem, { kind: "error" }>;
  onResume: () => void;
}): ReactElement {
  const { error } = item;
  const stderr = error.exit?.stderrTail;
  const restartable = ["agentExited", "spawnFailed", "timeout", "authRequired"].includes(error.kind);
  return (
    <div className="problem" role="alert">
      <div className="problem-title">{error.message}</div>
      {ADVICE[error.kind] === undefined ? null : <div className="problem-detail">{ADVICE[error.kind]}</div>}
      {stderr === undefined || stderr === null || stderr === "" ? null : (
        <Fold icon="terminal" verb="Standard error of the agent" open>
          <Output text={stderr} />
        </Fold>
      )}
      {restartable ? (
        <div className="problem-actions">
          <Button size="small" icon="refresh" onClick={onResume}>
            Start the agent again
          </Button>
        </div>
      ) : null}
    </div>
  );
}
