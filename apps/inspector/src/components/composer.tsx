// Where the reader writes: text, attachments, suggestions, and the agent's own settings.

import { type ReactElement, type ReactNode, useEffect, useRef, useState } from "react";
import type { InputPart } from "sandbox-agent";
import type { SessionStore } from "sandbox-agent/stores";
import type { Transcript } from "sandbox-agent/transcript";
import { type Attachment, attach, attachmentOf } from "../core/attachments.ts";
import { History } from "../core/history.ts";
import { forgetUnsent, keepUnsent, readUnsent } from "../core/unsent.ts";
import { Button } from "./controls.tsx";
import { Icon } from "./icons.tsx";
import { Queue } from "./queue.tsx";
import { SessionPickers } from "./session-pickers.tsx";
import { Suggestions, useSuggestions } from "./suggestions.tsx";
import "./composer.css";

interface ComposerProps {
  store: SessionStore;
  facts: Pick<Transcript, "state" | "queue" | "queueHeld" | "commands" | "choices">;
  cwd: string | undefined;
  notice?: ReactNode;
}

const history = new History();

export function Composer({ store, facts, cwd, notice }: ComposerProps): ReactElement {
  const [unsent] = useState(() => readUnsent(sessionStorage, store.id));
  const [text, setText] = useState(() => textOf(unsent));
  const [attachments, setAttachments] = useState<readonly Attachment[]>(() => unsent.flatMap(attachmentOf));
  const [dragging, setDragging] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const escaped = useRef(0);
  const suggestions = useSuggestions({ text, setText, input, commands: facts.commands, cwd });
  const busy = facts.state === "running" || facts.state === "requiresAction";
  const ended = facts.state === "ended";
  useEffect(() => forgetUnsent(sessionStorage, store.id), [store]);

  /** Puts a message back that was withdrawn. Text written meanwhile stays. */
  const put = (parts: readonly InputPart[]): void => {
    setText((now) => [textOf(parts), now].filter((part) => part !== "").join("\n"));
    setAttachments((now) => [...parts.flatMap(attachmentOf), ...now]);
    input.current?.focus();
  };

  const edit = (id: string, parts: readonly InputPart[]): void => {
    // The page shows why a message could not be withdrawn, such as one that has begun.
    store.withdraw(id).then(
      () => put(parts),
      () => undefined,
    );
  };

  const putNow = (id: string, parts: InputPart[]): void => {
    sendNow(store, id, parts).catch((error: unknown) => {
      if (error instanceof NotSentError) put(parts);
    });
  };

  const send = (delivery: "queue" | "interrupt"): void => {
    const trimmed = text.trim();
    if ((trimmed === "" && attachments.length === 0) || ended) return;
    const parts: InputPart[] = [...(trimmed === "" ? [] : [{ type: "text" as const, text: trimmed }])];
    const message = attachments.length === 0 ? trimmed : [...parts, ...attachments.map(({ part }) => part)];
    const before = { text, attachments };
    history.add(trimmed);
    setText("");
    setAttachments([]);
    // Nothing that was written may be lost because a request failed.
    store.send(message, { delivery }).catch(() => {
      setText((now) => (now === "" ? before.text : now));
      setAttachments((now) => (now.length === 0 ? before.attachments : now));
    });
  };

  const addFiles = async (files: FileList | readonly File[]): Promise<void> => {
    const added = await Promise.all([...files].map(attach));
    setAttachments((now) => [...now, ...added]);
  };

  const interrupt = (): void => {
    const now = Date.now();
    // One press stops the turn and lets the queue continue; a second one withdraws the queue, too.
    if (facts.queue.length > 0 && now - escaped.current > 1_500) {
      const [next] = facts.queue;
      escaped.current = now;
      if (next !== undefined) putNow(next.id, next.parts as InputPart[]);
      return;
    }
    void store.cancel();
  };

  const editLast = (): boolean => {
    const last = facts.queue.at(-1);
    if (text !== "" || last === undefined) return false;
    edit(last.id, last.parts as InputPart[]);
    return true;
  };

  const browse = (key: string): boolean => {
    if (key === "ArrowUp") {
      if (editLast()) return true;
      const earlier = text === "" || history.isBrowsing(text) ? history.earlier(text) : undefined;
      if (earlier !== undefined) setText(earlier);
      return earlier !== undefined;
    }
    if (key !== "ArrowDown" || !history.isBrowsing(text)) return false;
    setText(history.later());
    return true;
  };

  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>): void => {
    if (suggestions.onKeyDown(event)) return;
    const isSend = event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing;
    if (isSend) send(event.metaKey || event.ctrlKey ? "interrupt" : "queue");
    else if (event.key === "Escape" && busy) interrupt();
    else if (!browse(event.key)) return;
    event.preventDefault();
  };

  const placeholder = ended
    ? "The session has ended"
    : busy
      ? "Queue a message"
      : matchMedia("(max-width: 600px)").matches
        ? "Message the agent"
        : "Message the agent. @ for files, / for commands";
  return (
    <div className="composer">
      <div className="composer-inner">
        {notice}
        <Queue store={store} queue={facts.queue} held={facts.queueHeld} onEdit={edit} onSendNow={putNow} />
        <Suggestions {...suggestions} />
        <fieldset
          aria-label="Composer"
          className={`composer-box ${dragging ? "composer-box-drop" : ""}`}
          onDragOver={(event) => {
            event.preventDefault();
            setDragging(true);
          }}
          onDragLeave={() => setDragging(false)}
          onDrop={(event) => {
            event.preventDefault();
            setDragging(false);
            void addFiles(event.dataTransfer.files);
          }}
        >
          {attachments.length === 0 ? null : (
            <div className="chips">
              {attachments.map((attachment) => (
                <span className="chip" key={attachment.id}>
                  <Icon name="attach" />
                  <span className="truncate">{attachment.name}</span>
                  <Button
                    look="quiet"
                    size="small"
                    icon="close"
                    aria-label={`Remove ${attachment.name}`}
                    onClick={() => setAttachments((now) => now.filter(({ id }) => id !== attachment.id))}
                  />
                </span>
              ))}
            </div>
          )}
          <textarea
            ref={input}
            className="composer-text"
            aria-label="Message"
            data-composer=""
            placeholder={placeholder}
            rows={1}
            value={text}
            disabled={ended}
            onChange={(event) => suggestions.onChange(event.target.value, event.target.selectionStart)}
            onKeyDown={onKeyDown}
            onPaste={(event) => {
              if (event.clipboardData.files.length === 0) return;
              event.preventDefault();
              void addFiles(event.clipboardData.files);
            }}
          />
          <div className="composer-foot">
            <Button
              look="quiet"
              size="small"
              icon="attach"
              aria-label="Attach files"
              title="Attach files"
              disabled={ended}
              onClick={() => picker.current?.click()}
            />
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              aria-label="Files to attach"
              onChange={(event) => {
                void addFiles([...(event.target.files ?? [])]);
                event.target.value = "";
              }}
            />
            <SessionPickers choices={facts.choices} onChange={store.change} disabled={ended} />
            <span className="spacer" />
            {busy ? (
              <Button
                className="composer-stop"
                look="quiet"
                size="small"
                icon="stop"
                hint="Esc"
                onClick={interrupt}
              >
                Stop
              </Button>
            ) : null}
            <Button
              look="primary"
              size="small"
              icon="send"
              aria-label={busy ? "Queue message" : "Send message"}
              title={busy ? "Queue message" : "Send message"}
              disabled={ended || (text.trim() === "" && attachments.length === 0)}
              onClick={() => send("queue")}
            />
          </div>
        </fieldset>
      </div>
    </div>
  );
}

/** A message was withdrawn from the queue and could not be sent again. */
class NotSentError extends Error {}

/** Sends a queued message ahead of everything: it is withdrawn, and sent again as an interruption. */
async function sendNow(store: SessionStore, id: string, parts: InputPart[]): Promise<void> {
  keepUnsent(sessionStorage, store.id, parts);
  try {
    await store.withdraw(id);
    await store.send(parts, { delivery: "interrupt" }).catch((cause: unknown) => {
      throw new NotSentError("the message was not sent", { cause });
    });
  } finally {
    forgetUnsent(sessionStorage, store.id);
  }
}

export function textOf(parts: readonly InputPart[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
