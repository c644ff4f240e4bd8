// One file of the working tree with its diff, which is read when it is shown.

import { useSandboxAgent } from "@sandbox-agent/react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { readTexts, type TreeFile } from "../core/working-tree.ts";
import { Button } from "./controls.tsx";
import { Counts } from "./counts.tsx";
import { DiffView } from "./diff-view.tsx";
import { ProblemView } from "./problem.tsx";

/** Files whose diffs are read without being asked for, unless they are long. */
const READ_FIRST = 20;
const LONG = 800;

export function TreeChange(props: {
  file: TreeFile;
  base: string;
  cwd: string;
  revision: number;
  /** Place in the list. */
  index: number;
}): ReactElement {
  const { file, base, cwd, revision, index } = props;
  const client = useSandboxAgent();
  const isLong = (file.added ?? 0) + (file.removed ?? 0) > LONG;
  const [open, setOpen] = useState(index < READ_FIRST && !isLong);
  const texts = useQuery({
    queryKey: ["tree-file", cwd, base, file.path, revision],
    enabled: open,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await readTexts(client, cwd, base, file, signal)) ?? null,
  });
  if (texts.isError) return <ProblemView error={texts.error} onRetry={() => void texts.refetch()} />;
  if (texts.data !== undefined && texts.data !== null) {
    return <DiffView path={`${cwd}/${file.path}`} {...texts.data} cwd={cwd} />;
  }
  return (
    <div className="diff">
      <div className="diff-bar">
        <code className="truncate" title={file.path}>
          {file.path}
        </code>
        <Counts added={file.added ?? 0} removed={file.removed ?? 0} />
        {texts.data === null ? <span className="panel-note">not shown: no text, or too large</span> : null}
        {open ? null : (
          <Button size="small" look="quiet" onClick={() => setOpen(true)}>
            Show diff
          </Button>
        )}
      </div>
    </div>
  );
}
