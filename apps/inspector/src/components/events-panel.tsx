// The event log: filter, pause, raw data, copy as curl.

import { useSandboxAgent } from "@sandbox-agent/react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactElement, useEffect, useMemo, useRef, useState } from "react";
import type { UniversalEvent } from "sandbox-agent";
import type { SessionStore } from "sandbox-agent/stores";
import { exactTime } from "../core/format.ts";
import { curl } from "../core/snippets.ts";
import { useConnection } from "../hooks/connection.ts";
import { Button, CopyButton } from "./controls.tsx";
import { Json } from "./output.tsx";
import { ProblemView } from "./problem.tsx";
import { ScrollRegion } from "./scroll-region.tsx";
import "./panels.css";

/** Events that the panel keeps. */
const KEPT = 5_000;

export default function EventsPanel({ store }: { store: SessionStore }): ReactElement {
  const [filter, setFilter] = useState("");
  const [paused, setPaused] = useState(false);
  const [deltas, setDeltas] = useState(false);
  const { events, error, retry } = useEvents(store, paused, deltas);
  const [open, setOpen] = useState<number>();
  const scroll = useRef<HTMLElement>(null);
  const shown = useMemo(() => {
    const words = filter.toLowerCase();
    if (words === "") return events;
    return events.filter((event) => JSON.stringify(event).toLowerCase().includes(words));
  }, [events, filter]);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroll.current,
    getItemKey: (index) => shown[index]?.id ?? index,
    estimateSize: () => 27,
    overscan: 20,
    anchorTo: "end",
    followOnAppend: true,
  });
  return (
    <div className="panel">
      <div className="panel-tools">
        <input
          className="input"
          type="search"
          aria-label="Filter events"
          placeholder="Filter events"
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
          {deltas ? "Hide pieces" : "Pieces"}
        </Button>
        <Button size="small" look="quiet" icon={paused ? "run" : "pause"} onClick={() => setPaused(!paused)}>
          {paused ? "Resume" : "Pause"}
        </Button>
      </div>
      {error === undefined ? null : <ProblemView error={error} onRetry={retry} />}
      <ScrollRegion className="panel-scroll" ref={scroll} label="Events">
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map((item) => {
            const event = shown[item.index];
            if (event === undefined) return null;
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                style={{
                  position: "absolute",
                  top: 0,
                  left: 0,
                  width: "100%",
                  transform: `translateY(${item.start}px)`,
                }}
              >
                <EventRow
                  event={event}
                  open={open === event.id}
                  onToggle={() => setOpen(open === event.id ? undefined : event.id)}
                />
              </div>
            );
          })}
        </div>
      </ScrollRegion>
    </div>
  );
}

function EventRow(props: { event: UniversalEvent; open: boolean; onToggle: () => void }): ReactElement {
  const { event, open, onToggle } = props;
  const { connection } = useConnection();
  const summary = useMemo(() => JSON.stringify(Object.values(event.data)[0])?.slice(0, 200), [event]);
  const path = `/v1/sessions/${encodeURIComponent(event.sessionId)}/events?after=${event.id - 1}&limit=1`;
  return (
    <div className="event-row">
      <button
        type="button"
        className="event-line"
        aria-expanded={open}
        title={exactTime(event.timestamp)}
        onClick={onToggle}
      >
        <span className="event-id">{event.id}</span>
        <span className="truncate">{event.type}</span>
        <span className="event-summary truncate">{summary}</span>
      </button>
      {open ? (
        <div className="event-body">
          <Json value={event} />
          <div className="event-actions">
            <CopyButton text={() => JSON.stringify(event, null, 2)} label="Copy event as JSON" />
            <Button
              size="small"
              look="quiet"
              onClick={() => void navigator.clipboard.writeText(curl(connection, path))}
            >
              Copy as curl
            </Button>
          </div>
        </div>
      ) : null}
    </div>
  );
}

/** Reads the newest events and follows. A pause keeps what is shown; resuming continues where it stopped. */
function useEvents(
  store: SessionStore,
  paused: boolean,
  deltas: boolean,
): { events: readonly UniversalEvent[]; error: unknown; retry: () => void } {
  const client = useSandboxAgent();
  const [events, setEvents] = useState<readonly UniversalEvent[]>([]);
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const last = useRef<{ id: number; deltas: boolean }>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt follows again
  useEffect(() => {
    if (paused) return;
    const abort = new AbortController();
    const follow = async (): Promise<void> => {
      const session = await client.sessions.get(store.id, { signal: abort.signal });
      if (last.current?.deltas !== deltas) {
        last.current = { id: Math.max(0, session.info.lastEventId - KEPT), deltas };
        setEvents([]);
      }
      let batch: UniversalEvent[] = [];
      for await (const event of session.events({ after: last.current.id, deltas, signal: abort.signal })) {
        last.current = { id: event.id, deltas };
        batch.push(event);
        if (batch.length > 1) continue;
        setTimeout(() => {
          const added = batch;
          batch = [];
          setEvents((now) => [...now, ...added].slice(-KEPT));
        }, 50);
      }
    };
    follow().catch((failure: unknown) => {
      if (!abort.signal.aborted) setError(failure);
    });
    return () => abort.abort();
  }, [client, store, paused, deltas, attempt]);
  const retry = (): void => {
    setError(undefined);
    setAttempt((now) => now + 1);
  };
  return { events, error, retry };
}
