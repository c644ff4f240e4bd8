// Keys of the whole page. Letters are left to fields while the reader writes.

import { useEffect, useRef } from "react";

export type KeyMap = Readonly<Record<string, () => void>>;

/** Time between the two keys of a sequence such as `g h`. */
const SEQUENCE_MS = 1_200;

/** Calls the function of a key: `mod+k`, `?`, or a sequence such as `g h`. */
export function useKeys(keys: KeyMap): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    let first: { key: string; at: number } | undefined;
    const onKeyDown = (event: KeyboardEvent): void => {
      const name = nameOf(event);
      const action = current.current[name];
      if (name.startsWith("mod+")) {
        if (action === undefined) return;
        event.preventDefault();
        action();
        return;
      }
      if (isWriting(event.target) || event.altKey || event.defaultPrevented) return;
      const sequence = first !== undefined && Date.now() - first.at < SEQUENCE_MS ? `${first.key} ${name}` : undefined;
      first = { key: name, at: Date.now() };
      const run = (sequence === undefined ? undefined : current.current[sequence]) ?? action;
      if (run === undefined) return;
      event.preventDefault();
      first = undefined;
      run();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

function nameOf(event: KeyboardEvent): string {
  return event.metaKey || event.ctrlKey ? `mod+${event.key.toLowerCase()}` : event.key;
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable], .xterm, [role=dialog], [role=menu]") !== null;
}
