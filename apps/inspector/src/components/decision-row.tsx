// How a permission or a question was decided: what, by whom, when.

import type { ReactElement } from "react";
import { ago, exactTime } from "../core/format.ts";
import { decidedBy, isOwnDecision } from "../core/identity.ts";
import { Icon, type IconName } from "./icons.tsx";
import "./cards.css";

export function DecisionRow(props: {
  id: string;
  icon: IconName;
  outcome: string;
  state: { readonly by: string; readonly client?: string; readonly at: string };
  subject: string;
}): ReactElement {
  const { id, icon, outcome, state, subject } = props;
  const by = decidedBy(state.by, state.client, isOwnDecision(sessionStorage, id));
  const text = `${outcome} ${by}: ${subject}`;
  return (
    <div className="card-done">
      <Icon name={icon} />
      <span className="truncate" title={text}>
        {text}
      </span>
      <time dateTime={state.at} title={exactTime(state.at)}>
        {ago(state.at)}
      </time>
    </div>
  );
}
