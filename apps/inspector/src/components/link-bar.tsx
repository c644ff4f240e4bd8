// The connection to the event stream, if it is not live.

import { type ReactElement, useEffect, useState } from "react";
import type { Connection } from "sandbox-agent/stores";
import { describeError } from "../core/problem.ts";
import { Button } from "./controls.tsx";

export function LinkBar({
  connection,
  onRetry,
}: {
  connection: Connection;
  onRetry: () => void;
}): ReactElement | null {
  const [now, setNow] = useState(Date.now());
  const waits = connection.state === "reconnecting";
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [waits]);
  if (connection.state === "failed") {
    return (
      <div className="bar" role="alert">
        {describeError(connection.error).detail}
        <Button size="small" onClick={onRetry}>
          Retry
        </Button>
      </div>
    );
  }
  if (connection.state !== "reconnecting") return null;
  const seconds = Math.max(0, Math.ceil((connection.retryAt - now) / 1_000));
  return (
    <div className="bar" role="status">
      Connection lost. {seconds === 0 ? "Reconnecting…" : `Reconnecting in ${seconds} s.`}
      <Button size="small" onClick={onRetry}>
        Retry now
      </Button>
    </div>
  );
}
