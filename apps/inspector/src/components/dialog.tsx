// A dialog over the page.

import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactElement, type ReactNode, useRef } from "react";
import { Button } from "./controls.tsx";
import "./dialog.css";

export function Dialog(props: {
  label: string;
  title?: boolean;
  onClose: () => void;
  children: ReactNode;
}): ReactElement {
  const { label, title = true, onClose, children } = props;
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          className="dialog"
          aria-label={label}
          ref={popup}
          initialFocus={() => popup.current?.querySelector<HTMLElement>("[data-first]") ?? true}
        >
          {title ? (
            <div className="dialog-head">
              <Base.Title className="dialog-title">{label}</Base.Title>
              <Button look="quiet" size="small" icon="close" aria-label="Close" onClick={onClose} />
            </div>
          ) : null}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
