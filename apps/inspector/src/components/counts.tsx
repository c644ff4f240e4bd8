// Added and removed lines, as `+12 −3`.

import type { ReactElement } from "react";

export function Counts({ added, removed }: { added: number; removed: number }): ReactElement {
  return (
    <span className="counts">
      {added === 0 ? null : <span className="count-add">+{added}</span>}
      {removed === 0 ? null : <span className="count-remove">−{removed}</span>}
    </span>
  );
}
