// A quiet row that opens in place.

import { type ReactElement, type ReactNode, useState } from "react";
import { Icon, type IconName } from "./icons.tsx";

export function Fold(props: {
  icon: IconName;
  verb: string;
  target?: string | undefined;
  code?: boolean;
  state?: ReactNode;
  open?: boolean;
  children?: ReactNode;
}): ReactElement {
  const { icon, verb, target, code = false, state, children } = props;
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? props.open ?? false;
  const label = (
    <>
      <Icon name={icon} />
      <span className={target === undefined || target === "" ? "truncate" : "fold-verb"}>{verb}</span>
      {target === undefined || target === "" ? null : (
        <span className={`truncate fold-target ${code ? "" : "fold-plain"}`} title={target}>
          {target}
        </span>
      )}
      <span className="fold-state">{state}</span>
    </>
  );
  if (children === undefined || children === null) return <div className="fold-row">{label}</div>;
  return (
    <div>
      <button type="button" className="fold-row" aria-expanded={open} onClick={() => setChosen(!open)}>
        {label}
        <span className="fold-chevron">
          <Icon name="chevron" />
        </span>
      </button>
      {open ? <div className="fold-body">{children}</div> : null}
    </div>
  );
}
