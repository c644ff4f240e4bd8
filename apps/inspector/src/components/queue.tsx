// Messages that wait for their turn: in their order, which can be changed.

import { type ReactElement, useEffect, useRef, useState } from "react";
import type { InputPart } from "sandbox-agent";
import type { SessionStore } from "sandbox-agent/stores";
import type { UserItem } from "sandbox-agent/transcript";
import { plural } from "../core/format.ts";
import { moved } from "../core/order.ts";
import { textOf } from "./composer.tsx";
import { Button } from "./controls.tsx";
import { Icon } from "./icons.tsx";

interface QueueProps {
  store: SessionStore;
  queue: readonly UserItem[];
  /** True if the messages wait since a restart of the daemon. */
  held: boolean;
  /** Withdraws a message to be edited. */
  onEdit: (id: string, parts: readonly InputPart[]) => void;
  onSendNow: (id: string, parts: InputPart[]) => void;
}

export function Queue({ store, queue, held, onEdit, onSendNow }: QueueProps): ReactElement | null {
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  const list = useRef<HTMLOListElement>(null);
  /** Message that was moved by a key: its handle keeps the focus at the new place. */
  const keyed = useRef<string>(undefined);
  useEffect(() => {
    const grip = list.current?.children[queue.findIndex(({ id }) => id === keyed.current)];
    grip?.querySelector<HTMLElement>(".queued-grip")?.focus();
    keyed.current = undefined;
  }, [queue]);
  if (queue.length === 0) return null;
  const move = (from: number, to: number): void => {
    if (from === to || queue[to] === undefined) return;
    void store.reorder(moved(queue, from, to).map(({ id }) => id));
  };
  const drop = (to: number): void => {
    if (dragged !== undefined) move(dragged, to);
    setDragged(undefined);
    setOver(undefined);
  };
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
      <ol className="queue-list" ref={list}>
        {queue.map((item, index) => (
          <li
            className={`queued ${over === index && dragged !== index ? "queued-over" : ""}`}
            key={item.key}
            draggable={queue.length > 1}
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = "move";
              event.dataTransfer.setData("text/plain", textOf(item.parts as InputPart[]));
              setDragged(index);
            }}
            onDragOver={(event) => {
              if (dragged === undefined) return;
              event.preventDefault();
              setOver(index);
            }}
            onDrop={(event) => {
              event.preventDefault();
              drop(index);
            }}
            onDragEnd={() => drop(dragged ?? index)}
          >
            <QueuedMessage
              store={store}
              item={item}
              place={{ index, count: queue.length }}
              onEdit={onEdit}
              onSendNow={onSendNow}
              onMove={(by) => {
                keyed.current = item.id;
                move(index, index + by);
              }}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

function QueuedMessage(props: {
  store: SessionStore;
  item: UserItem;
  place: { index: number; count: number };
  onEdit: QueueProps["onEdit"];
  onSendNow: QueueProps["onSendNow"];
  onMove: (by: number) => void;
}): ReactElement {
  const { store, item, place, onEdit, onSendNow, onMove } = props;
  const parts = item.parts as InputPart[];
  const text = textOf(parts);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    onMove(event.key === "ArrowUp" ? -1 : 1);
  };
  return (
    <>
      {place.count < 2 ? null : (
        <button
          type="button"
          className="queued-grip"
          aria-label={`Message ${place.index + 1} of ${place.count}: move with the arrow keys`}
          title="Drag to reorder, or press the arrow keys"
          onKeyDown={onKeyDown}
        >
          <Icon name="grip" />
        </button>
      )}
      <span className="truncate">{text === "" ? "Attachments" : text}</span>
      <Button look="quiet" size="small" title="Interrupts the turn" onClick={() => onSendNow(item.id, parts)}>
        Send now
      </Button>
      <Button
        look="quiet"
        size="small"
        icon="edit"
        aria-label="Edit queued message"
        onClick={() => onEdit(item.id, parts)}
      />
      <Button
        look="quiet"
        size="small"
        icon="close"
        aria-label="Remove queued message"
        onClick={() => void store.withdraw(item.id)}
      />
    </>
  );
}
