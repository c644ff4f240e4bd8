// A directory of the sandbox: typed, or found by looking around.

import { useSandboxAgent } from "@sandbox-agent/react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button, Field } from "./controls.tsx";
import { Icon } from "./icons.tsx";
import { ProblemView } from "./problem.tsx";

export function DirectoryField({
  value,
  onChange,
}: {
  value: string;
  onChange: (path: string) => void;
}): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <div className="field">
      <Field label="Directory">
        <input
          className="input"
          placeholder="The daemon's workspace"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      {open ? (
        <Browser path={value} onOpen={onChange} />
      ) : (
        <Button look="quiet" size="small" className="form-more" icon="folder" onClick={() => setOpen(true)}>
          Browse
        </Button>
      )}
    </div>
  );
}

function Browser({ path, onOpen }: { path: string; onOpen: (path: string) => void }): ReactElement {
  const client = useSandboxAgent();
  const here = path === "" ? "." : path;
  const { data, error, refetch } = useQuery({
    queryKey: ["directories", here],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const [stat, page] = await Promise.all([
        client.fs.stat(here, { signal }),
        client.fs.entryPage(here, { limit: 500 }, { signal }),
      ]);
      return {
        path: stat.path,
        directories: page.entries.filter((entry) => entry.entryType === "directory"),
      };
    },
  });
  if (error !== null) return <ProblemView error={error} onRetry={() => void refetch()} />;
  const parent = data?.path.replace(/\/[^/]*$/, "") ?? "";
  return (
    <div className="directory-list">
      {data === undefined || data.path === "/" ? null : (
        <button
          type="button"
          className="directory-entry"
          onClick={() => onOpen(parent === "" ? "/" : parent)}
        >
          <Icon name="up" />
          ..
        </button>
      )}
      {data?.directories.map((entry) => (
        <button type="button" key={entry.path} className="directory-entry" onClick={() => onOpen(entry.path)}>
          <Icon name="folder" />
          <span className="truncate">{entry.name}</span>
        </button>
      ))}
    </div>
  );
}
