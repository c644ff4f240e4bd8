// A long list of records that follows its end: one line each, the raw data in place.

import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactElement, type ReactNode, useRef, useState } from "react";
import type { LogRecord } from "../core/log-records.ts";
import { CopyButton } from "./controls.tsx";
import { Json } from "./output.tsx";
import { ScrollRegion } from "./scroll-region.tsx";
import "./panels.css";

interface LogListProps {
  label: string;
  records: readonly LogRecord[];
  empty: string;
  /** Returns what can be done with an open record. */
  actions: (record: LogRecord) => ReactNode;
}

export function LogList({ label, records, empty, actions }: LogListProps): ReactElement {
  const [open, setOpen] = useState<number>();
  const scroll = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: records.length,
    getScrollElement: () => scroll.current,
    getItemKey: (index) => records[index]?.id ?? index,
    estimateSize: () => 27,
    overscan: 20,
    anchorTo: "end",
    followOnAppend: true,
  });
  return (
    <ScrollRegion className="panel-scroll" ref={scroll} label={label}>
      {records.length === 0 ? <p className="panel-empty">{empty}</p> : null}
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map((item) => {
          const record = records[item.index];
          if (record === undefined) return null;
          return (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className="log-item"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <LogRow
                record={record}
                open={open === record.id}
                onToggle={() => setOpen(open === record.id ? undefined : record.id)}
                actions={actions}
              />
            </div>
          );
        })}
      </div>
    </ScrollRegion>
  );
}

function LogRow(props: {
  record: LogRecord;
  open: boolean;
  onToggle: () => void;
  actions: LogListProps["actions"];
}): ReactElement {
  const { record, open, onToggle, actions } = props;
  return (
    <div className="event-row">
      <button
        type="button"
        className="event-line"
        aria-expanded={open}
        title={record.title}
        onClick={onToggle}
      >
        <span className="event-id">{record.id}</span>
        <span className="truncate">{record.name}</span>
        <span className="event-summary truncate">{record.summary}</span>
      </button>
      {open ? (
        <div className="event-body">
          <Json value={record.value} />
          <div className="event-actions">
            <CopyButton text={() => JSON.stringify(record.value, null, 2)} label="Copy as JSON" />
            {actions(record)}
          </div>
        </div>
      ) : null}
    </div>
  );
}
