// Opens a session that was exported, here or by another daemon.

import { useSandboxAgent } from "@sandbox-agent/react";
import type { ReactElement } from "react";
import { ConflictError } from "sandbox-agent";
import { useRoute } from "../hooks/route.ts";
import { Icon } from "./icons.tsx";

export function ImportButton({ onError }: { onError: (error: unknown) => void }): ReactElement {
  const client = useSandboxAgent();
  const { go } = useRoute();
  const open = async (file: File): Promise<void> => {
    const session = await client.sessions.import(file).catch((error: unknown) => {
      // The session may still be here under its own id: the copy gets another one.
      if (!(error instanceof ConflictError)) throw error;
      return client.sessions.import(file, { id: `import-${Date.now().toString(36)}` });
    });
    go({ screen: "session", id: session.id, panel: undefined });
  };
  return (
    <label className="button button-plain" title="A file that Export has saved">
      <Icon name="upload" />
      Import
      <input
        type="file"
        className="visually-hidden"
        accept=".jsonl,application/x-ndjson"
        aria-label="Import a session"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = "";
          if (file !== undefined) open(file).catch(onError);
        }}
      />
    </label>
  );
}
