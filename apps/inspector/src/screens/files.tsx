// Files of the sandbox, as a screen of its own.

import type { ReactElement } from "react";
import FilesPanel from "../components/files-panel.tsx";
import { useRoute } from "../hooks/route.ts";

export default function FilesScreen({ path }: { path: string | undefined }): ReactElement {
  const { replace } = useRoute();
  return (
    <FilesPanel
      root={undefined}
      selected={path}
      onSelect={(next) => replace({ screen: "files", path: next })}
    />
  );
}
