// Components in chunks of their own, which can be fetched before they are shown.

import { type ComponentType, type LazyExoticComponent, lazy } from "react";

type Module<P> = { default: ComponentType<P> };

export interface Preloadable<P> {
  readonly View: LazyExoticComponent<ComponentType<P>>;
  readonly preload: () => void;
}

/** Loads a component once. One that is loaded by the time it is shown renders at once, without a fallback. */
export function preloadable<P>(load: () => Promise<Module<P>>): Preloadable<P> {
  let loaded: Module<P> | undefined;
  let pending: Promise<Module<P>> | undefined;
  const get = (): Promise<Module<P>> => {
    pending ??= load().then((module) => {
      loaded = module;
      return module;
    });
    return pending;
  };
  const View = lazy((): Promise<Module<P>> => {
    if (loaded === undefined) return get();
    const module = loaded;
    // biome-ignore lint/suspicious/noThenProperty: React reads a thenable that answers at once without suspending
    return { then: (done: (module: Module<P>) => void) => done(module) } as Promise<Module<P>>;
  });
  return { View, preload: () => void get().catch(() => {}) };
}

/** Calls back when the page has nothing better to do. */
export function whenIdle(callback: () => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(callback, 500);
    return () => clearTimeout(timer);
  }
  const id = requestIdleCallback(callback, { timeout: 2_000 });
  return () => cancelIdleCallback(id);
}
