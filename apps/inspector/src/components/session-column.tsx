// The list of sessions with its search.

import type { SessionsResult } from "@sandbox-agent/react";
import { type ReactElement, useRef, useState } from "react";
import type { SessionInfo } from "sandbox-agent";
import { ago, exactTime } from "../core/format.ts";
import { formatRoute } from "../core/routes.ts";
import { dotOf, groupSessions, sessionNote, sessionTitle } from "../core/session-list.ts";
import { useKeys } from "../hooks/keys.ts";
import { Button } from "./controls.tsx";
import { ProblemView } from "./problem.tsx";

export function SessionColumn(props: { sessions: SessionsResult; onNew: () => void }): ReactElement {
  const { sessions, onNew } = props;
  const [query, setQuery] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const groups = groupSessions(sessions.sessions, query);
  const move = (step: number): void => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("a") ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  return (
    <section className="session-column" aria-label="Sessions">
      <div className="session-tools">
        <input
          className="input"
          type="search"
          data-search=""
          aria-label="Search sessions"
          placeholder="Search sessions"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <Button icon="plus" aria-label="New session" title="New session" onClick={onNew} />
      </div>
      <div className="session-scroll" ref={list}>
        {sessions.loading.state === "failed" && sessions.sessions.length === 0 ? (
          <ProblemView error={sessions.loading.error} onRetry={() => void sessions.refresh()} />
        ) : null}
        {groups.map((group) => (
          <div key={group.name}>
            <h2 className={`group-name ${group.name === "Needs you" ? "group-needs" : ""}`}>{group.name}</h2>
            {group.sessions.map((session) => (
              <SessionRow key={session.sessionId} session={session} />
            ))}
          </div>
        ))}
        {groups.length === 0 && sessions.loading.state === "ready" ? (
          <p className="empty">
            {query === ""
              ? "Sessions appear here. Start one, or try the demo."
              : "No session matches the search."}
          </p>
        ) : null}
        {sessions.hasMore ? (
          <Button look="quiet" size="small" onClick={() => void sessions.loadMore()}>
            Show older sessions
          </Button>
        ) : null}
      </div>
    </section>
  );
}

function SessionRow({ session }: { session: SessionInfo }): ReactElement {
  const needs = session.state === "requiresAction";
  return (
    <a
      className={`session-row ${needs ? "session-row-needs" : ""}`}
      href={formatRoute({ screen: "session", id: session.sessionId, panel: undefined })}
    >
      <span className={dotOf(session.state)} aria-hidden="true" />
      <span className="truncate">{sessionTitle(session)}</span>
      <time className="session-time" dateTime={session.updatedAt} title={exactTime(session.updatedAt)}>
        {ago(session.updatedAt)}
      </time>
      <span className="session-note truncate">
        {session.agent} · {sessionNote(session)}
      </span>
    </a>
  );
}
