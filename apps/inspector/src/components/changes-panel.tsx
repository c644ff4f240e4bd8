// The changes of the session, per file: from git where the directory is in a repository, otherwise from the agent's edits.

import { useSandboxAgent, useStore } from "@sandbox-agent/react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, useMemo, useState } from "react";
import type { SessionSnapshot, SessionStore } from "sandbox-agent/stores";
import type { Transcript } from "sandbox-agent/transcript";
import { type FileChange, sessionChanges } from "../core/changes.ts";
import { plural } from "../core/format.ts";
import { readWorkingTree, type WorkingTree } from "../core/working-tree.ts";
import { Button } from "./controls.tsx";
import { Counts } from "./counts.tsx";
import { DiffView } from "./diff-view.tsx";
import { ScrollRegion } from "./scroll-region.tsx";
import { TreeChange } from "./tree-change.tsx";
import "./panels.css";

const viewOf = ({ transcript, info }: SessionSnapshot) => ({ transcript, info });

export default function ChangesPanel({ store }: { store: SessionStore }): ReactElement {
  const { transcript, info } = useStore(store, viewOf);
  const [onlyEdits, setOnlyEdits] = useState(false);
  const edits = useMemo(() => sessionChanges(transcript), [transcript]);
  const revision = revisionOf(transcript);
  const tree = useWorkingTree(info?.cwd, info?.createdAt, revision);
  const git = onlyEdits ? undefined : (tree.data ?? undefined);
  if (tree.isPending && info !== undefined)
    return <div className="skeleton" style={{ height: 120, margin: 12 }} />;
  return (
    <div className="panel">
      <Head files={git?.files ?? edits}>
        {tree.data === null || tree.data === undefined ? null : (
          <Button
            size="small"
            look="quiet"
            aria-pressed={onlyEdits}
            title="Show only what the agent's edit tools reported"
            onClick={() => setOnlyEdits(!onlyEdits)}
          >
            Edits only
          </Button>
        )}
        <Button
          size="small"
          look="quiet"
          icon="refresh"
          aria-label="Read the changes again"
          title="Read the changes again"
          onClick={() => void tree.refetch()}
        />
      </Head>
      <ScrollRegion className="panel-scroll" label="Changes">
        {git === undefined ? (
          <EditList
            store={store}
            changes={edits}
            hasOlder={transcript.older !== undefined}
            cwd={info?.cwd}
            isRepository={tree.data !== null}
          />
        ) : (
          <TreeList tree={git} cwd={info?.cwd ?? ""} revision={revision} />
        )}
      </ScrollRegion>
    </div>
  );
}

/** Changes whenever the working tree may have changed: a call or a turn has ended. */
function revisionOf(transcript: Transcript): number {
  let ended = 0;
  for (const item of transcript.items) {
    if (item.kind === "turnEnd") ended += 1;
    if (item.kind === "assistant") {
      for (const part of item.parts) if (part.type === "tool" && part.status === "completed") ended += 1;
    }
  }
  return ended;
}

function useWorkingTree(directory: string | undefined, since: string | undefined, revision: number) {
  const client = useSandboxAgent();
  return useQuery({
    queryKey: ["working-tree", directory, since, revision],
    enabled: directory !== undefined && since !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await readWorkingTree(client, directory ?? "", since ?? "", signal)) ?? null,
  });
}

function Head(props: {
  files: readonly { added?: number; removed?: number }[];
  children: ReactNode;
}): ReactElement {
  const { files } = props;
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
  return (
    <div className="panel-tools">
      <span className="panel-title">
        {files.length === 0 ? "Changes" : plural(files.length, "changed file")}{" "}
        <Counts added={added} removed={removed} />
      </span>
      {props.children}
    </div>
  );
}

function TreeList(props: { tree: WorkingTree; cwd: string; revision: number }): ReactElement {
  const { tree, cwd, revision } = props;
  return (
    <div className="panel-body">
      <p className="panel-note">
        From git: files of this directory compared with{" "}
        {tree.isCommit ? (
          <>
            <code>{tree.base.slice(0, 9)}</code>, the last commit before the session
          </>
        ) : (
          "nothing, as no commit is older than the session"
        )}
        . Changes by others are included.
      </p>
      {tree.files.length === 0 ? <p className="panel-empty">The files are as they were.</p> : null}
      {tree.files.map((file, index) => (
        <TreeChange
          key={`${file.kind}:${file.path}`}
          file={file}
          base={tree.base}
          cwd={cwd}
          revision={revision}
          index={index}
        />
      ))}
      {tree.omitted === 0 ? null : (
        <p className="panel-note">{plural(tree.omitted, "more untracked file")} not shown.</p>
      )}
    </div>
  );
}

function EditList(props: {
  store: SessionStore;
  changes: readonly FileChange[];
  hasOlder: boolean;
  cwd: string | undefined;
  /** False if there is no git to ask. */
  isRepository: boolean;
}): ReactElement {
  const { store, changes, hasOlder, cwd, isRepository } = props;
  return (
    <div className="panel-body">
      <p className="panel-note">
        From the agent's edits{isRepository ? "" : ": this directory is not in a git repository"}. Changes by
        commands are not included.
      </p>
      {hasOlder ? (
        <Button size="small" onClick={() => void store.loadOlder()}>
          Include older messages
        </Button>
      ) : null}
      {changes.length === 0 ? (
        <p className="panel-empty">Edits of the agent appear here as one diff per file.</p>
      ) : null}
      {changes.map((change) => (
        <DiffView key={change.path} {...change} cwd={cwd} />
      ))}
    </div>
  );
}
