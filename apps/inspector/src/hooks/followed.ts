// The newest records of a stream: kept up to a number, paused and continued.

import { useEffect, useRef, useState } from "react";

/** Records that are kept. */
export const KEPT = 5_000;

/** Records that arrive within this time are shown together. */
const BATCH_MS = 50;

export interface Followed<T> {
  readonly records: readonly T[];
  readonly error: unknown;
  readonly retry: () => void;
}

/** Reads records after an id. Throws if the stream cannot be read. */
export type ReadAfter<T> = (after: number | undefined, signal: AbortSignal) => Promise<AsyncIterable<T>>;

/**
 * Follows a stream. Another `read` starts again. A pause keeps what is shown, and continuing reads on where it stopped. Without
 * `read` there is nothing to follow.
 */
export function useFollowed<T extends { readonly id: number }>(
  read: ReadAfter<T> | undefined,
  paused: boolean,
): Followed<T> {
  const [records, setRecords] = useState<readonly T[]>([]);
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const last = useRef<{ id: number; read: ReadAfter<T> }>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt follows again
  useEffect(() => {
    if (paused || read === undefined) return;
    const abort = new AbortController();
    if (last.current?.read !== read) {
      last.current = undefined;
      setRecords([]);
    }
    const follow = async (): Promise<void> => {
      let batch: T[] = [];
      for await (const record of await read(last.current?.id, abort.signal)) {
        last.current = { id: record.id, read };
        batch.push(record);
        if (batch.length > 1) continue;
        setTimeout(() => {
          const added = batch;
          batch = [];
          setRecords((now) => [...now, ...added].slice(-KEPT));
        }, BATCH_MS);
      }
    };
    follow().catch((failure: unknown) => {
      if (!abort.signal.aborted) setError(failure);
    });
    return () => abort.abort();
  }, [read, paused, attempt]);
  const retry = (): void => {
    setError(undefined);
    setAttempt((now) => now + 1);
  };
  return { records, error, retry };
}
