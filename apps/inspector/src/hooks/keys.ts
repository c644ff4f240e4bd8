// Keys of the whole page. Letters are left to fields while the reader writes.

import { useEffect, useRef } from "react";
import { flushSync } from "react-dom";

export type KeyMap = Readonly<Record<string, () => void>>;

/** Time between the two keys of a sequence such as `g h`. */
const SEQUENCE_MS = 1_200;

/** Calls the function of a key: `mod+k`, `?`, or a sequence such as `g h`. */
export function useKeys(keys: KeyMap): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    let first: { key: string; at: number } | undefined;
    const find = (event: KeyboardEvent): (() => void) | undefined => {
      const name = nameOf(event);
      if (name.startsWith("mod+")) return current.current[name];
      if (isWriting(event.target) || event.altKey || event.defaultPrevented) return undefined;
      const isSecond = first !== undefined && Date.now() - first.at < SEQUENCE_MS;
      const sequence = isSecond ? current.current[`${first?.key} ${name}`] : undefined;
      first = { key: name, at: Date.now() };
      return sequence ?? current.current[name];
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      const action = find(event);
      if (action === undefined) return;
      event.preventDefault();
      first = undefined;
      // A dialog that the key opens has to take the next key, however soon it comes.
      flushSync(action);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

function nameOf(event: KeyboardEvent): string {
  return event.metaKey || event.ctrlKey ? `mod+${event.key.toLowerCase()}` : event.key;
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest("input, textarea, select, [contenteditable], .xterm, dialog, [role=menu]") !== null
  );
}
