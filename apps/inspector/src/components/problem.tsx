// A failure: what happened, what to do, and another attempt.

import type { ReactElement } from "react";
import { describeError } from "../core/problem.ts";
import { Button } from "./controls.tsx";
import "./cards.css";

export function ProblemView(props: {
  error: unknown;
  onRetry?: (() => void) | undefined;
  onDismiss?: (() => void) | undefined;
}): ReactElement {
  const { title, detail, advice, requestId } = describeError(props.error);
  return (
    <div className="problem" role="alert">
      <div className="problem-title">{title}</div>
      <div className="problem-detail">{detail}</div>
      {advice === undefined ? null : <div className="problem-detail">{advice}</div>}
      <div className="problem-actions">
        {props.onRetry === undefined ? null : (
          <Button size="small" icon="refresh" onClick={props.onRetry}>
            Retry
          </Button>
        )}
        {props.onDismiss === undefined ? null : (
          <Button size="small" look="quiet" onClick={props.onDismiss}>
            Dismiss
          </Button>
        )}
        {requestId === undefined ? null : <span className="problem-id">Request {requestId}</span>}
      </div>
    </div>
  );
}
