// Files of the sandbox: a tree, a search, and an editor.

import { useSandboxAgent } from "@sandbox-agent/react";
import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { type ReactElement, useEffect, useState } from "react";
import { shortPath } from "../core/format.ts";
import { Button } from "./controls.tsx";
import { FileTree } from "./file-tree.tsx";
import { FileView } from "./file-view.tsx";
import { Icon } from "./icons.tsx";
import { ProblemView } from "./problem.tsx";
import "./files.css";
import "./panels.css";

interface FilesPanelProps {
  /** Directory at the top; the daemon's workspace by default. */
  root: string | undefined;
  selected?: string | undefined;
  onSelect?: (path: string) => void;
}

export default function FilesPanel({ root, selected, onSelect }: FilesPanelProps): ReactElement {
  const client = useSandboxAgent();
  const queries = useQueryClient();
  const [own, setOwn] = useState<string>();
  const [query, setQuery] = useState("");
  const [inText, setInText] = useState(false);
  const [error, setError] = useState<unknown>();
  const [dragging, setDragging] = useState(false);
  const topQuery = queryOptions({
    queryKey: ["root", root],
    queryFn: ({ signal }) => client.fs.stat(root ?? ".", { signal }),
  });
  const top = useQuery(topQuery);
  const path = top.data?.path;
  useWatch(path);
  const current = selected ?? own;
  const select = onSelect ?? setOwn;
  const upload = async (files: readonly File[]): Promise<void> => {
    try {
      const directory = await queries.ensureQueryData(topQuery);
      for (const file of files) await client.fs.write(`${directory.path}/${file.name}`, file);
      setError(undefined);
      await reload(queries);
    } catch (failure) {
      setError(failure);
    }
  };
  if (top.isError) {
    return (
      <div className="panel-body">
        <ProblemView error={top.error} onRetry={() => void top.refetch()} />
      </div>
    );
  }
  return (
    <div className="files">
      <section
        className={`files-tree ${dragging ? "files-drop" : ""}`}
        aria-label="Files"
        onDragOver={(event) => {
          event.preventDefault();
          setDragging(true);
        }}
        onDragLeave={() => setDragging(false)}
        onDrop={(event) => {
          event.preventDefault();
          setDragging(false);
          void upload([...event.dataTransfer.files]);
        }}
      >
        <div className="panel-tools">
          <input
            className="input"
            type="search"
            aria-label="Search files"
            placeholder={inText ? "Search in files" : "Search file names"}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          <Button
            look="quiet"
            size="small"
            aria-pressed={inText}
            title="Search in the content of files"
            onClick={() => setInText(!inText)}
          >
            In text
          </Button>
          <UploadButton onFiles={(files) => void upload(files)} />
        </div>
        {error === undefined ? null : <ProblemView error={error} onDismiss={() => setError(undefined)} />}
        <div className="panel-scroll">
          {path === undefined ? null : query.trim() === "" ? (
            <FileTree path={path} depth={0} selected={current} onSelect={select} />
          ) : (
            <Results root={path} query={query} inText={inText} selected={current} onSelect={select} />
          )}
        </div>
      </section>
      {current === undefined ? (
        <div className="file-view">
          <p className="panel-empty">
            Choose a file to read or edit it. Drop files on the tree to upload them.
          </p>
        </div>
      ) : (
        <FileView key={current} path={current} root={path} />
      )}
    </div>
  );
}

function UploadButton({ onFiles }: { onFiles: (files: readonly File[]) => void }): ReactElement {
  return (
    <label className="button button-quiet button-small button-icon" title="Upload files">
      <span className="visually-hidden">Upload files</span>
      <input
        type="file"
        multiple
        className="visually-hidden"
        onChange={(event) => {
          if (event.target.files !== null) onFiles([...event.target.files]);
        }}
      />
      <Icon name="upload" />
    </label>
  );
}

/** Reads all listings again, also those that are being read: they may lack what has just changed. */
async function reload(queries: QueryClient): Promise<void> {
  await queries.cancelQueries({ queryKey: ["entries"] });
  await queries.invalidateQueries({ queryKey: ["entries"] });
}

/** Reads listings and files again when something changes on the disk. */
function useWatch(path: string | undefined): void {
  const client = useSandboxAgent();
  const queries = useQueryClient();
  useEffect(() => {
    if (path === undefined) return;
    const abort = new AbortController();
    let changes = 0;
    // Changes during a reading lead to one more, so that many of them do not keep it from its end.
    const read = async (): Promise<void> => {
      changes += 1;
      if (changes > 1) return;
      for (let seen = 0; seen < changes; await reload(queries)) seen = changes;
      changes = 0;
    };
    const follow = async (): Promise<void> => {
      for await (const event of client.fs.watch(path, { signal: abort.signal })) {
        // Also when the watch is ready: the listing may be older.
        void read();
        if (event.type !== "ready") void queries.invalidateQueries({ queryKey: ["file", event.path] });
      }
    };
    // Systems without a watch show what they read when a directory was opened.
    follow().catch(() => {});
    return () => abort.abort();
  }, [client, queries, path]);
}

function Results(props: {
  root: string;
  query: string;
  /** Searches in the content of files instead of their names. */
  inText: boolean;
  selected: string | undefined;
  onSelect: (path: string) => void;
}): ReactElement {
  const { root, query, inText, selected, onSelect } = props;
  const client = useSandboxAgent();
  const words = query.trim();
  const found = useQuery({
    queryKey: ["search", root, words, inText],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      client.fs.searchPage(
        inText
          ? { path: root, content: words, literal: true, ignoreCase: true, limit: 200 }
          : { path: root, name: `*${words}*`, ignoreCase: true, limit: 200 },
        { signal },
      ),
  });
  if (found.isError) return <ProblemView error={found.error} onRetry={() => void found.refetch()} />;
  const matches = found.data?.matches.filter((match) => match.entryType === "file") ?? [];
  return (
    <>
      {matches.map((match) => (
        <Button
          key={`${match.path}:${match.line ?? ""}`}
          look="quiet"
          className="tree-row"
          style={{ paddingLeft: 12, justifyContent: "flex-start" }}
          aria-current={selected === match.path}
          title={match.text}
          onClick={() => onSelect(match.path)}
        >
          <span className="truncate">
            {shortPath(match.path, root)}
            {match.line === undefined ? "" : `:${match.line}`}
          </span>
        </Button>
      ))}
      {found.data !== undefined && matches.length === 0 ? (
        <p className="panel-empty">Nothing matches.</p>
      ) : null}
    </>
  );
}
