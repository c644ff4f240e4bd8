// Keeps a list scrolled to its end while the reader is there.

import { type RefCallback, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Distance to the end, in pixels, at which a reader counts as being there. */
const NEAR = 32;

export interface Follow {
  /** For the element that scrolls. */
  readonly ref: RefCallback<HTMLElement>;
  readonly isFollowing: boolean;
  /** Scrolls to the end and follows again. */
  readonly scrollToEnd: () => void;
}

// A server has no layout, and React 18 warns about layout effects there.
const useAfterLayout = typeof window === "undefined" ? useEffect : useLayoutEffect;

/**
 * Scrolls an element to its end whenever `content` changes, unless the reader has scrolled up. Content that is put in front
 * of the rest does not move what the reader sees.
 */
export function useFollow(content: unknown): Follow {
  const element = useRef<HTMLElement | null>(null);
  const height = useRef(0);
  const [isFollowing, setFollowing] = useState(true);
  const onScroll = useCallback((event: Event) => {
    const { scrollHeight, scrollTop, clientHeight } = event.currentTarget as HTMLElement;
    setFollowing(scrollHeight - scrollTop - clientHeight < NEAR);
  }, []);
  const ref = useCallback(
    (next: HTMLElement | null) => {
      element.current?.removeEventListener("scroll", onScroll);
      next?.addEventListener("scroll", onScroll, { passive: true });
      element.current = next;
    },
    [onScroll],
  );
  const scrollToEnd = useCallback(() => {
    const target = element.current;
    if (target !== null) target.scrollTop = target.scrollHeight;
    setFollowing(true);
  }, []);
  useAfterLayout(() => {
    const target = element.current;
    if (target === null) return;
    const grown = target.scrollHeight - height.current;
    if (isFollowing) target.scrollTop = target.scrollHeight;
    else if (target.scrollTop === 0 && grown > 0) target.scrollTop = grown;
    height.current = target.scrollHeight;
  }, [content, isFollowing]);
  return { ref, isFollowing, scrollToEnd };
}
