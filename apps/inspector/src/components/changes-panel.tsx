// The changes of the session, per file.

import { useStore } from "@sandbox-agent/react";
import { type ReactElement, useMemo } from "react";
import type { SessionSnapshot, SessionStore } from "sandbox-agent/stores";
import { sessionChanges } from "../core/changes.ts";
import { plural } from "../core/format.ts";
import { Button } from "./controls.tsx";
import { Counts } from "./counts.tsx";
import { DiffView } from "./diff-view.tsx";
import { ScrollRegion } from "./scroll-region.tsx";
import "./panels.css";

const viewOf = ({ transcript, info }: SessionSnapshot) => ({ transcript, info });

export default function ChangesPanel({ store }: { store: SessionStore }): ReactElement {
  const { transcript, info } = useStore(store, viewOf);
  const changes = useMemo(() => sessionChanges(transcript), [transcript]);
  const total = { added: 0, removed: 0 };
  for (const { added, removed } of changes) {
    total.added += added;
    total.removed += removed;
  }
  return (
    <div className="panel">
      <div className="panel-tools">
        <span className="panel-title">
          {changes.length === 0 ? "Changes" : plural(changes.length, "changed file")}
        </span>
        <Counts {...total} />
      </div>
      <ScrollRegion className="panel-scroll" label="Changes">
        {transcript.older === undefined ? null : (
          <div className="panel-body">
            <Button size="small" onClick={() => void store.loadOlder()}>
              Include older messages
            </Button>
          </div>
        )}
        {changes.length === 0 ? (
          <p className="panel-empty">Edits of the agent appear here as one diff per file.</p>
        ) : (
          <div className="panel-body">
            {changes.map((change) => (
              <DiffView key={change.path} {...change} cwd={info?.cwd} />
            ))}
          </div>
        )}
      </ScrollRegion>
    </div>
  );
}
