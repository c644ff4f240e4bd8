// One file: read, edit, save with a check for conflicts, download.

import { useSandboxAgent } from "@sandbox-agent/react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { PreconditionFailedError } from "sandbox-agent";
import { baseName, bytes, shortPath } from "../core/format.ts";
import { CodeEditor } from "./code-editor.tsx";
import { Button } from "./controls.tsx";
import { CopyMenu } from "./copy-menu.tsx";
import { ProblemView } from "./problem.tsx";
import { saveFile } from "./session-head.tsx";

/** Larger files are only offered for download. */
const LARGEST = 1_048_576;

export function FileView({ path, root }: { path: string; root: string | undefined }): ReactElement {
  const client = useSandboxAgent();
  const queries = useQueryClient();
  const [draft, setDraft] = useState<{ text: string; etag: string | undefined }>();
  const [error, setError] = useState<unknown>();
  const file = useQuery({
    queryKey: ["file", path],
    queryFn: async ({ signal }) => {
      const { size = 0, etag } = await client.fs.head(path, { signal });
      if (size > LARGEST) return { size, etag, text: undefined };
      const data = await client.fs.read(path, { signal });
      return { size, etag, text: decode(data) };
    },
  });
  const save = async (ifMatch: string | undefined): Promise<void> => {
    if (draft === undefined) return;
    try {
      await client.fs.write(path, draft.text, ifMatch === undefined ? {} : { ifMatch });
      setDraft(undefined);
      setError(undefined);
    } catch (failure) {
      setError(failure);
    }
    await queries.invalidateQueries({ queryKey: ["file", path] });
  };
  const download = async (): Promise<void> =>
    saveFile(new Blob([await client.fs.read(path)]), baseName(path));
  const text = draft?.text ?? file.data?.text;
  const conflict = error instanceof PreconditionFailedError;
  return (
    <section className="file-view" aria-label={baseName(path)}>
      <div className="panel-tools">
        <code className="panel-title truncate" title={path}>
          {shortPath(path, root)}
          {draft === undefined ? "" : " •"}
        </code>
        {draft === undefined ? null : (
          <>
            <Button size="small" look="quiet" onClick={() => setDraft(undefined)}>
              Discard
            </Button>
            <Button size="small" look="primary" onClick={() => void save(draft.etag)}>
              Save
            </Button>
          </>
        )}
        <Button
          size="small"
          look="quiet"
          icon="download"
          aria-label="Download"
          title="Download"
          onClick={() => void download().catch(setError)}
        />
        <CopyMenu object={{ type: "file", path }} name="file" />
      </div>
      {file.isError ? (
        <div className="file-notice">
          <ProblemView error={file.error} onRetry={() => void file.refetch()} />
        </div>
      ) : null}
      {error === undefined ? null : (
        <div className="file-notice">
          <ProblemView error={error} onDismiss={() => setError(undefined)} />
          {conflict ? (
            <div className="card-actions">
              <Button
                size="small"
                onClick={() => {
                  setDraft(undefined);
                  setError(undefined);
                }}
              >
                Reload from disk
              </Button>
              <Button size="small" look="danger" onClick={() => void save(undefined)}>
                Overwrite
              </Button>
            </div>
          ) : null}
        </div>
      )}
      {file.data !== undefined && text === undefined ? (
        <p className="panel-empty">
          {bytes(file.data.size)} that are not shown here. Download the file to read it.
        </p>
      ) : null}
      {text === undefined ? null : (
        <CodeEditor
          path={path}
          label={`Content of ${baseName(path)}`}
          text={text}
          onChange={(next) => setDraft({ text: next, etag: draft?.etag ?? file.data?.etag })}
          onSave={() => void save(draft?.etag)}
        />
      )}
    </section>
  );
}

/** Undefined for files that are not text. */
function decode(data: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(data);
    return text.includes("\u0000") ? undefined : text;
  } catch {
    return undefined;
  }
}
