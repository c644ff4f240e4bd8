// An area that scrolls. It takes the focus, because otherwise its content could not be reached with the keyboard.

import type { ReactElement, ReactNode, Ref } from "react";

export function ScrollRegion(props: {
  label: string;
  className: string;
  role?: "log";
  ref?: Ref<HTMLElement>;
  onScroll?: () => void;
  children: ReactNode;
}): ReactElement {
  const { label, children, ...rest } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus
    <section tabIndex={0} aria-label={label} {...rest}>
      {children}
    </section>
  );
}
