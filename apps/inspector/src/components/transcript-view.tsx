// The transcript as a virtual list that follows its end.

import { useStore } from "@sandbox-agent/react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactElement, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { SessionSnapshot, SessionStore } from "sandbox-agent/stores";
import { type Transcript, textOf } from "sandbox-agent/transcript";
import { plural } from "../core/format.ts";
import type { JumpTarget } from "../core/jump.ts";
import { type Row, rowsOf } from "../core/rows.ts";
import { useJump } from "../hooks/jump.ts";
import { Button, Spinner } from "./controls.tsx";
import { ProblemView } from "./problem.tsx";
import { type RowContext, RowView } from "./row-view.tsx";
import { ScrollRegion } from "./scroll-region.tsx";
import "./transcript.css";

/** Distance to the end at which the reader counts as being there. */
const NEAR = 80;

/** Height of the header that names the turn. */
const STICKY = 30;

const viewOf = ({ transcript, info, history }: SessionSnapshot) => ({ transcript, info, history });

interface TranscriptViewProps {
  store: SessionStore;
  /** Row to scroll to. Another object scrolls again. */
  target: JumpTarget | undefined;
  onFork: RowContext["onFork"];
}

export function TranscriptView({ store, target, onFork }: TranscriptViewProps): ReactElement {
  const { transcript, info, history } = useStore(store, viewOf);
  const rows = useMemo(() => rowsOf(transcript), [transcript]);
  const context = useRowContext(store, transcript, info, onFork);
  const scroll = useRef<HTMLElement>(null);
  const [following, setFollowing] = useState(true);
  const [top, setTop] = useState(0);
  const seen = useRef(rows.length);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => estimate(rows[index]),
    overscan: 4,
    paddingStart: 12,
    paddingEnd: 20,
    anchorTo: "end",
  });

  const toEnd = (): void => setFollowing(true);
  const pointed = useJump({
    rows,
    target,
    hasOlder: transcript.older !== undefined,
    loadOlder: () => void store.loadOlder(),
    scrollTo: (index) => {
      setFollowing(false);
      virtual.scrollToIndex(index, { align: "center" });
    },
  });

  // Rows change their height when they are measured, opened or streamed into, and the list when it is shown or resized.
  const size = virtual.getTotalSize();
  const [height, setHeight] = useState(0);
  useEffect(() => {
    const element = scroll.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: sizes decide where the end is
  useLayoutEffect(() => {
    const element = scroll.current;
    if (element !== null && following) element.scrollTop = element.scrollHeight;
  }, [size, height, following]);

  useEffect(() => {
    if (following) seen.current = rows.length;
  }, [following, rows.length]);

  const onScroll = (): void => {
    const element = scroll.current;
    if (element === null) return;
    setTop(element.scrollTop);
    setFollowing(element.scrollHeight - element.scrollTop - element.clientHeight < NEAR);
    if (element.scrollTop < 400 && transcript.older !== undefined && history.state === "ready")
      void store.loadOlder();
  };

  const items = virtual.getVirtualItems();
  const first = items.find((item) => item.end > top + STICKY)?.index ?? 0;
  const turn = turnAt(rows, first);
  const added = Math.max(0, rows.length - seen.current);
  return (
    <div className="transcript">
      {turn === undefined ? null : (
        <button
          type="button"
          className="turn-sticky"
          onClick={() => virtual.scrollToIndex(turn.index, { align: "start" })}
        >
          <span className="truncate">{turn.text}</span>
        </button>
      )}
      <ScrollRegion
        className="transcript-scroll"
        ref={scroll}
        onScroll={onScroll}
        role="log"
        label="Transcript"
      >
        {history.state === "failed" ? (
          <ProblemView error={history.error} onRetry={() => void store.loadOlder()} />
        ) : null}
        <div className="transcript-rows" style={{ height: size }}>
          {items.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                data-row={row.type}
                className={`transcript-row ${item.key === pointed ? "transcript-row-pointed" : ""}`}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <RowView row={row} context={context} />
                {item.index === rows.length - 1 ? <Activity transcript={transcript} /> : null}
              </div>
            );
          })}
        </div>
      </ScrollRegion>
      {following ? null : (
        <Button className="jump" size="small" icon="down" onClick={toEnd}>
          {added === 0 ? "Jump to latest" : `${plural(added, "new item")}`}
        </Button>
      )}
    </div>
  );
}

function useRowContext(
  store: SessionStore,
  transcript: Transcript,
  info: SessionSnapshot["info"],
  onFork: RowContext["onFork"],
): RowContext {
  const { permissions, questions } = transcript;
  return useMemo(() => {
    const waiting = new Set<string>();
    for (const { request } of [...permissions, ...questions]) {
      if (request.toolCallId !== undefined) waiting.add(request.toolCallId);
    }
    const textOfTurn = (turnId: string): string => {
      const items = store.getSnapshot().transcript.items.toArray();
      return items
        .flatMap((item) => (item.kind === "assistant" && item.turnId === turnId ? [textOf(item)] : []))
        .join("\n\n")
        .trim();
    };
    return { store, info, waiting, open: permissions.map(({ id }) => id), onFork, textOfTurn };
  }, [store, info, permissions, questions, onFork]);
}

/** The message of the turn that the first visible row belongs to, unless the message itself is visible. */
function turnAt(rows: readonly Row[], first: number): { index: number; text: string } | undefined {
  for (let index = first; index >= 0; index -= 1) {
    const row = rows[index];
    if (row?.type !== "user") continue;
    if (index === first) return undefined;
    const part = row.item.parts.find(({ type }) => type === "text");
    const text = part?.type === "text" ? (part.text.split("\n")[0] ?? "") : "";
    return { index, text };
  }
  return undefined;
}

function estimate(row: Row | undefined): number {
  if (row === undefined) return 36;
  if (row.type === "tool" && row.tool.kind === "edit") return 220;
  if (row.type === "part" && row.part.type === "text") return 40 + row.part.text.length / 4;
  if (row.type === "other" && (row.item.kind === "permission" || row.item.kind === "question")) return 120;
  return 36;
}

function Activity({ transcript }: { transcript: Transcript }): ReactElement | null {
  if (transcript.state === "starting") return <Line text="Starting the agent…" />;
  return transcript.state === "running" ? <Line text="Working…" /> : null;
}

function Line({ text }: { text: string }): ReactElement {
  return (
    <div className="activity" role="status">
      <Spinner />
      {text}
    </div>
  );
}
