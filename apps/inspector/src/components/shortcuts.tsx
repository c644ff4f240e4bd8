// The list of keys.

import type { ReactElement } from "react";
import { SHORTCUTS } from "../core/commands.ts";
import { Dialog } from "./dialog.tsx";

export default function ShortcutsDialog({ onClose }: { onClose: () => void }): ReactElement {
  return (
    <Dialog label="Keyboard shortcuts" onClose={onClose}>
      <div className="dialog-body">
        <dl className="shortcut-list">
          {SHORTCUTS.map(({ keys, what }) => [
            <dt key={`${keys}-key`}>
              <span className="kbd">{keys}</span>
            </dt>,
            <dd key={`${keys}-what`}>{what}</dd>,
          ])}
        </dl>
      </div>
    </Dialog>
  );
}
