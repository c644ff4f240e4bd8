// Messages that wait for their turn.

import type { ReactElement } from "react";
import type { InputPart } from "sandbox-agent";
import type { SessionStore } from "sandbox-agent/stores";
import type { UserItem } from "sandbox-agent/transcript";
import { plural } from "../core/format.ts";
import { sendNow, textOf } from "./composer.tsx";
import { Button } from "./controls.tsx";

interface QueueProps {
  store: SessionStore;
  queue: readonly UserItem[];
  /** True if the messages wait since a restart of the daemon. */
  held: boolean;
  onEdit: (text: string) => void;
}

export function Queue({ store, queue, held, onEdit }: QueueProps): ReactElement | null {
  if (queue.length === 0) return null;
  return (
    <section className="queue" aria-label="Queue">
      <div className="queue-head">
        {plural(queue.length, "message")} {held ? "held since the daemon was restarted" : "queued"}
        {held ? (
          <Button size="small" icon="run" onClick={() => void store.resume()}>
            Continue
          </Button>
        ) : null}
      </div>
      {queue.map((item) => {
        const parts = item.parts as InputPart[];
        const text = textOf(parts);
        return (
          <div className="queued" key={item.key}>
            <span className="truncate">{text === "" ? "Attachments" : text}</span>
            <Button
              look="quiet"
              size="small"
              title="Interrupts the turn"
              onClick={() => void sendNow(store, item.id, parts)}
            >
              Send now
            </Button>
            <Button
              look="quiet"
              size="small"
              icon="edit"
              aria-label="Edit queued message"
              onClick={() => void store.withdraw(item.id).then(() => onEdit(text))}
            />
            <Button
              look="quiet"
              size="small"
              icon="close"
              aria-label="Remove queued message"
              onClick={() => void store.withdraw(item.id)}
            />
          </div>
        );
      })}
    </section>
  );
}
