// Reports a failure of what the user did, also to screen readers.

import type { ReactNode } from "react";

export function ActionError({ error }: { error: unknown }): ReactNode {
  if (error === undefined) return null;
  return (
    <p role="alert" data-slot="error">
      {error instanceof Error ? error.message : String(error)}
    </p>
  );
}
