// Scrolls the transcript to the row of a target, and marks it for a moment.

import { useEffect, useRef, useState } from "react";
import { type JumpTarget, rowOfTarget } from "../core/jump.ts";
import type { Row } from "../core/rows.ts";

/** Time for which the row is marked. */
const POINTED_MS = 1_600;

interface JumpOptions {
  rows: readonly Row[];
  target: JumpTarget | undefined;
  hasOlder: boolean;
  loadOlder: () => void;
  scrollTo: (index: number) => void;
}

/** Returns the key of the row that is marked. Older pages are read until the row is there. */
export function useJump(options: JumpOptions): string | undefined {
  const { rows, target, hasOlder } = options;
  const [pointed, setPointed] = useState<string>();
  const done = useRef<JumpTarget>(undefined);
  const current = useRef(options);
  current.current = options;
  useEffect(() => {
    if (target === undefined || done.current === target || rows.length === 0) return;
    const index = rowOfTarget(rows, target);
    if (index === undefined) {
      if (hasOlder) current.current.loadOlder();
      return;
    }
    done.current = target;
    current.current.scrollTo(index);
    setPointed(rows[index]?.key);
    if (target.focus === true) focusCard();
  }, [rows, target, hasOlder]);
  useEffect(() => {
    if (pointed === undefined) return;
    const timer = setTimeout(() => setPointed(undefined), POINTED_MS);
    return () => clearTimeout(timer);
  }, [pointed]);
  return pointed;
}

/** Focuses the open card, which is rendered a frame after the list has scrolled to it. */
function focusCard(frames = 10): void {
  const card = document.querySelector<HTMLElement>(".card-open");
  const field =
    card?.matches("form") === true ? card.querySelector<HTMLElement>("input, textarea, select") : card;
  if (field !== null && field !== undefined) field.focus();
  else if (frames > 0) requestAnimationFrame(() => focusCard(frames - 1));
}
