// Actions of the user that may fail, and the report of a failure, also to screen readers.

import { type ReactNode, useState } from "react";

export interface Action {
  /** Why the last action failed. */
  error: unknown;
  /** Follows an action. The failure of an earlier one is forgotten. */
  run: (action: Promise<unknown>) => void;
}

export function useAction(): Action {
  const [error, setError] = useState<unknown>();
  const run = (action: Promise<unknown>): void => {
    setError(undefined);
    action.catch(setError);
  };
  return { error, run };
}

export function ActionError({ error }: { error: unknown }): ReactNode {
  if (error === undefined) return null;
  return (
    <p role="alert" data-slot="error">
      {error instanceof Error ? error.message : String(error)}
    </p>
  );
}
