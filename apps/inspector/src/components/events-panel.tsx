// The event log and the agent's raw ACP messages, side by side.

import { useSandboxAgent, useStore } from "@sandbox-agent/react";
import { type ReactElement, useCallback, useMemo, useState } from "react";
import type { UniversalEvent } from "sandbox-agent";
import type { SessionSnapshot, SessionStore } from "sandbox-agent/stores";
import type { JumpTarget } from "../core/jump.ts";
import { eventRecord, matching } from "../core/log-records.ts";
import { KEPT, useFollowed } from "../hooks/followed.ts";
import { AcpLog } from "./acp-log.tsx";
import { Button } from "./controls.tsx";
import { CopyMenu } from "./copy-menu.tsx";
import { LogList } from "./log-list.tsx";
import { ProblemView } from "./problem.tsx";
import "./panels.css";

interface EventsPanelProps {
  store: SessionStore;
  onJump: (target: JumpTarget) => void;
}

const infoOf = ({ info }: SessionSnapshot) => info;

/** Storage key of the choice to show raw messages. */
const RAW = "sandbox-agent.raw";

export default function EventsPanel({ store, onJump }: EventsPanelProps): ReactElement {
  const info = useStore(store, infoOf);
  const [filter, setFilter] = useState("");
  const [paused, setPaused] = useState(false);
  const [deltas, setDeltas] = useState(false);
  const [raw, setRaw] = useState(() => localStorage.getItem(RAW) === "true");
  const toggleRaw = (): void => {
    localStorage.setItem(RAW, String(!raw));
    setRaw(!raw);
  };
  return (
    <div className="panel">
      <div className="panel-tools">
        <input
          className="input"
          type="search"
          aria-label="Filter events"
          placeholder="Filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <Button
          size="small"
          look="quiet"
          aria-pressed={deltas}
          title="Show pieces of messages"
          onClick={() => setDeltas(!deltas)}
        >
          Pieces
        </Button>
        <Button
          size="small"
          look="quiet"
          aria-pressed={raw}
          title="Show what the agent wrote, as it wrote it"
          onClick={toggleRaw}
        >
          Raw ACP
        </Button>
        <Button size="small" look="quiet" icon={paused ? "run" : "pause"} onClick={() => setPaused(!paused)}>
          {paused ? "Resume" : "Pause"}
        </Button>
      </div>
      <div className={`logs ${raw ? "logs-two" : ""}`}>
        <EventLog store={store} deltas={deltas} filter={filter} paused={paused} onJump={onJump} />
        {raw ? (
          <AcpLog
            sessionId={store.id}
            nativeSessionId={info?.nativeSessionId}
            state={info?.state}
            filter={filter}
            paused={paused}
          />
        ) : null}
      </div>
    </div>
  );
}

function EventLog(props: {
  store: SessionStore;
  deltas: boolean;
  filter: string;
  paused: boolean;
  onJump: EventsPanelProps["onJump"];
}): ReactElement {
  const { store, deltas, filter, paused, onJump } = props;
  const client = useSandboxAgent();
  const read = useCallback(
    async (after: number | undefined, signal: AbortSignal) => {
      const session = await client.sessions.get(store.id, { signal });
      const start = after ?? Math.max(0, session.info.lastEventId - KEPT);
      return session.events({ after: start, deltas, signal, onGap: () => {} });
    },
    [client, store, deltas],
  );
  const { records, error, retry } = useFollowed<UniversalEvent>(read, paused);
  const shown = useMemo(() => matching(records, filter).map(eventRecord), [records, filter]);
  return (
    <section className="log" aria-label="Event log">
      {error === undefined ? null : <ProblemView error={error} onRetry={retry} />}
      <LogList
        label="Events"
        records={shown}
        empty={filter === "" ? "Events appear here as they happen." : "No event matches the filter."}
        actions={(record) => (
          <>
            <Button
              size="small"
              look="quiet"
              onClick={() => onJump({ event: record.value as UniversalEvent })}
            >
              Show in transcript
            </Button>
            <CopyMenu object={{ type: "event", sessionId: store.id, eventId: record.id }} name="event" />
          </>
        )}
      />
    </section>
  );
}
