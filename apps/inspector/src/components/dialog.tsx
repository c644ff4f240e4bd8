// A dialog over the page: the browser's own, which traps the focus and makes the rest of the page inert.

import { type ReactElement, type ReactNode, useLayoutEffect, useRef } from "react";
import { Button } from "./controls.tsx";
import "./dialog.css";

export function Dialog(props: {
  label: string;
  title?: boolean;
  onClose: () => void;
  children: ReactNode;
}): ReactElement {
  const { label, title = true, onClose, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key arrives, so that it reaches the field that has the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    element.showModal();
    (element.querySelector<HTMLElement>("[data-first]") ?? element).focus();
    return () => element.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it by Escape
    <dialog
      className="dialog"
      aria-label={label}
      ref={dialog}
      tabIndex={-1}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        // The backdrop belongs to the element itself; everything else is inside of it.
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className="dialog-inner">
        {title ? (
          <div className="dialog-head">
            <h2 className="dialog-title">{label}</h2>
            <Button look="quiet" size="small" icon="close" aria-label="Close" onClick={onClose} />
          </div>
        ) : null}
        {children}
      </div>
    </dialog>
  );
}
