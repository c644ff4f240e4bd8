// Reads a part of a store, and renders again only if that part changes.

import { useMemo, useSyncExternalStore } from "react";
import type { Store } from "sandbox-agent/stores";

/**
 * Returns what `select` picks from a store. Renders again if the result differs in one of its members. `select` should be a
 * function that stays the same, such as one outside of the component.
 */
export function useStore<T, S>(store: Store<T>, select: (snapshot: T) => S): S {
  const [current, initial] = useMemo(
    () => [memoize(store.getSnapshot, select), memoize(() => store.initial, select)] as const,
    [store, select],
  );
  return useSyncExternalStore(store.subscribe, current, initial);
}

/** Returns the same object as long as its members are the same, as `useSyncExternalStore` requires. */
function memoize<T, S>(read: () => T, select: (snapshot: T) => S): () => S {
  let known: { snapshot: T; selected: S } | undefined;
  return () => {
    const snapshot = read();
    if (known?.snapshot === snapshot) return known.selected;
    const next = select(snapshot);
    const selected = known !== undefined && isShallowEqual(known.selected, next) ? known.selected : next;
    known = { snapshot, selected };
    return selected;
  };
}

function isShallowEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Object.getPrototypeOf(left) !== Object.prototype) return false;
  const [before, after] = [Object.entries(left), new Map(Object.entries(right))];
  return (
    before.length === after.size &&
    before.every(([key, value]) => after.has(key) && Object.is(value, after.get(key)))
  );
}
