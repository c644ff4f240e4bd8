// One session: transcript, composer, and a side panel.

import { useStore, useStores } from "@sandbox-agent/react";
import { lazy, type ReactElement, Suspense, useEffect, useState } from "react";
import type { SessionSnapshot, SessionStore } from "sandbox-agent/stores";
import { Composer } from "../components/composer.tsx";
import { Fold } from "../components/fold.tsx";
import { LinkBar } from "../components/link-bar.tsx";
import { ProblemView } from "../components/problem.tsx";
import { SessionHead } from "../components/session-head.tsx";
import { TodoList } from "../components/tool-row.tsx";
import { TranscriptView } from "../components/transcript-view.tsx";
import type { JumpTarget } from "../core/jump.ts";
import type { Panel } from "../core/routes.ts";
import { useFork } from "../hooks/fork.ts";
import { useKeys } from "../hooks/keys.ts";
import { useRoute } from "../hooks/route.ts";
import "./session.css";

const ChangesPanel = lazy(() => import("../components/changes-panel.tsx"));
const EventsPanel = lazy(() => import("../components/events-panel.tsx"));
const FilesPanel = lazy(() => import("../components/files-panel.tsx"));
const TerminalPanel = lazy(() => import("../components/terminal-panel.tsx"));

const factsOf = ({ info, connection, failure, transcript }: SessionSnapshot) => {
  const { state, queue, queueHeld, commands, choices, plan, usage, title, permissions, questions } =
    transcript;
  return {
    info,
    connection,
    failure,
    state,
    queue,
    queueHeld,
    commands,
    choices,
    plan,
    usage,
    title,
    permissions,
    questions,
  };
};

export type SessionFacts = ReturnType<typeof factsOf>;

interface SessionScreenProps {
  id: string;
  panel: Panel | undefined;
  /** Event that the address names. */
  event: number | undefined;
}

export default function SessionScreen({ id, panel, event }: SessionScreenProps): ReactElement {
  const store = useStores().session(id, { pageSize: 60 });
  const facts = useStore(store, factsOf);
  const { replace } = useRoute();
  const [error, setError] = useState<unknown>();
  const [last, setLast] = useState<Panel>("changes");
  const setPanel = (next: Panel | undefined): void => {
    if (next !== undefined) setLast(next);
    replace({ screen: "session", id, panel: next });
  };
  const [target, setTarget] = useState<JumpTarget>();
  useEffect(() => {
    if (event !== undefined) setTarget({ eventId: event });
  }, [event]);
  const toRequest = (): void => {
    const [waiting] = [...facts.permissions, ...facts.questions];
    if (waiting !== undefined) setTarget({ key: waiting.key, focus: true });
  };
  useKeys({ "mod+\\": () => setPanel(panel === undefined ? last : undefined), "mod+j": toRequest });
  const fork = useFork(store, setError);

  if (facts.connection.state === "failed" && facts.info === undefined) {
    return (
      <div className="transcript-empty">
        <ProblemView error={facts.connection.error} onRetry={store.retry} />
      </div>
    );
  }
  return (
    <div className="session">
      <SessionHead
        store={store}
        facts={facts}
        panel={panel}
        onPanel={setPanel}
        onFork={() => fork()}
        onError={setError}
      />
      <LinkBar connection={facts.connection} onRetry={store.retry} />
      <div className={`session-body ${panel === undefined ? "" : "session-body-side"}`}>
        <div className="session-main">
          <TranscriptView store={store} target={target} onFork={fork} />
          <Composer
            store={store}
            facts={facts}
            cwd={facts.info?.cwd}
            notice={<Notices store={store} facts={facts} error={error} onError={setError} />}
          />
        </div>
        {panel === undefined ? null : (
          <Side>
            <Suspense fallback={null}>
              <PanelView panel={panel} store={store} cwd={facts.info?.cwd} onJump={setTarget} />
            </Suspense>
          </Side>
        )}
      </div>
    </div>
  );
}

function PanelView(props: {
  panel: Panel;
  store: SessionStore;
  cwd: string | undefined;
  onJump: (target: JumpTarget) => void;
}): ReactElement {
  const { panel, store, cwd, onJump } = props;
  switch (panel) {
    case "changes":
      return <ChangesPanel store={store} />;
    case "events":
      return <EventsPanel store={store} onJump={onJump} />;
    case "files":
      return <FilesPanel root={cwd} />;
    case "terminal":
      return <TerminalPanel cwd={cwd} />;
  }
}

function Notices(props: {
  store: SessionStore;
  facts: SessionFacts;
  error: unknown;
  onError: (error: unknown) => void;
}): ReactElement {
  const { store, facts, error, onError } = props;
  const { plan, failure } = facts;
  const entries = plan?.entries ?? [];
  const done = entries.filter((entry) => entry.status === "completed").length;
  const current = entries.find((entry) => entry.status === "inProgress");
  return (
    <>
      {failure === undefined ? null : <ProblemView error={failure.error} onDismiss={store.dismissFailure} />}
      {error === undefined ? null : <ProblemView error={error} onDismiss={() => onError(undefined)} />}
      {entries.length === 0 || done === entries.length ? null : (
        <div className="plan-strip-box">
          <Fold icon="list" verb={current?.content ?? "Plan"} state={`${done} of ${entries.length}`}>
            <TodoList entries={entries.map(({ content, status }) => ({ text: content, status }))} />
          </Fold>
        </div>
      )}
    </>
  );
}

/** Width of the side panel in pixels, kept for the next session. */
const WIDTH = "sandbox-agent.side";

function Side({ children }: { children: React.ReactNode }): ReactElement {
  const [width, setWidth] = useState(() => Number(localStorage.getItem(WIDTH) ?? 480));
  const resize = (next: number): void => {
    const bounded = Math.max(280, Math.min(window.innerWidth * 0.7, next));
    setWidth(bounded);
    localStorage.setItem(WIDTH, String(Math.round(bounded)));
  };
  return (
    <aside className="side" style={{ width }} aria-label="Side panel">
      {/* biome-ignore lint/a11y/useSemanticElements: a separator that moves is a control, which <hr> is not */}
      <div
        className="side-grip"
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the side panel"
        aria-valuenow={Math.round(width)}
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.key === "ArrowLeft") resize(width + 24);
          if (event.key === "ArrowRight") resize(width - 24);
        }}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId))
            resize(window.innerWidth - event.clientX);
        }}
      />
      {children}
    </aside>
  );
}
