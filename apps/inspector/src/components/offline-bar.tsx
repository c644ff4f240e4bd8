// A thin bar while the daemon cannot be reached. Content stays readable below it.

import { type ReactElement, useEffect, useState } from "react";
import type { HealthQuery } from "../screens/shell.tsx";
import { Button } from "./controls.tsx";

export function OfflineBar({ query }: { query: HealthQuery }): ReactElement | null {
  const [now, setNow] = useState(Date.now());
  const offline = query.isError;
  useEffect(() => {
    if (!offline) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [offline]);
  if (!offline) return null;
  const next = Math.max(0, Math.ceil((query.errorUpdatedAt + 5_000 - now) / 1_000));
  return (
    <div className="bar" role="status">
      <span>
        The daemon cannot be reached.{" "}
        {query.isFetching || next === 0 ? "Trying again…" : `Trying again in ${next} s.`}
      </span>
      <Button size="small" onClick={() => void query.refetch()}>
        Retry now
      </Button>
    </div>
  );
}
