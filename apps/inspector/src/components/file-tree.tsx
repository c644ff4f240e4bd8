// A directory and, on demand, what is in it.

import { useSandboxAgent } from "@sandbox-agent/react";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import type { FsEntry } from "sandbox-agent";
import { bytes } from "../core/format.ts";
import { Icon } from "./icons.tsx";
import { ProblemView } from "./problem.tsx";

interface FileTreeProps {
  path: string;
  depth: number;
  selected: string | undefined;
  onSelect: (path: string) => void;
}

/** Entries of one directory that are shown. */
const SHOWN = 500;

export function FileTree({ path, depth, selected, onSelect }: FileTreeProps): ReactElement | null {
  const client = useSandboxAgent();
  const { data, error, refetch } = useQuery({
    queryKey: ["entries", path],
    queryFn: async ({ signal }) => {
      const { entries, next } = await client.fs.entryPage(path, { limit: SHOWN }, { signal });
      return { entries: [...entries].sort(byKind), more: next !== undefined };
    },
  });
  if (error !== null) return <ProblemView error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  return (
    <>
      {data.entries.map((entry) => (
        <Entry key={entry.path} entry={entry} depth={depth} selected={selected} onSelect={onSelect} />
      ))}
      {data.more ? (
        <p className="panel-empty">Only the first {SHOWN} entries are shown. Search for others.</p>
      ) : null}
      {data.entries.length === 0 && depth === 0 ? (
        <p className="panel-empty">This directory is empty.</p>
      ) : null}
    </>
  );
}

function Entry(props: { entry: FsEntry } & Omit<FileTreeProps, "path">): ReactElement {
  const { entry, depth, selected, onSelect } = props;
  const [chosen, setOpen] = useState<boolean>();
  const open = chosen ?? selected?.startsWith(`${entry.path}/`) === true;
  const isDirectory = entry.entryType === "directory";
  return (
    <>
      <button
        type="button"
        className="tree-row"
        style={{ paddingLeft: 8 + depth * 14 }}
        aria-expanded={isDirectory ? open : undefined}
        aria-current={selected === entry.path}
        onClick={() => (isDirectory ? setOpen(!open) : onSelect(entry.path))}
      >
        <span className="tree-chevron">
          {isDirectory ? <Icon name="chevron" /> : <span className="icon" />}
        </span>
        <Icon name={isDirectory ? "folder" : "read"} />
        <span className="truncate">{entry.name}</span>
        {isDirectory ? null : <span className="tree-size">{bytes(entry.size)}</span>}
      </button>
      {isDirectory && open ? (
        <FileTree path={entry.path} depth={depth + 1} selected={selected} onSelect={onSelect} />
      ) : null}
    </>
  );
}

function byKind(a: FsEntry, b: FsEntry): number {
  const [first, second] = [a.entryType === "directory" ? 0 : 1, b.entryType === "directory" ? 0 : 1];
  return first - second || a.name.localeCompare(b.name);
}
