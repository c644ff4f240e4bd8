// A text field that sends messages.

import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from "react";
import type { InputPart } from "sandbox-agent";
import { useSession } from "../use-session.ts";
import { ActionError } from "./action-error.tsx";

export interface ComposerProps {
  sessionId: string;
  className?: string;
  placeholder?: string;
  /** Label of the text field for screen readers. */
  label?: string;
  sendLabel?: string;
  cancelLabel?: string;
  /** Files and images to send with the next message. */
  attachments?: readonly InputPart[];
  /** Called once the daemon has stored the message, such as to clear the attachments. */
  onSent?: () => void;
  /** Shown between the text field and the buttons. */
  children?: ReactNode;
}

/**
 * Sends messages: Enter sends, Shift+Enter starts a line, Escape stops the running turn. A message that is sent while the
 * agent works waits for its turn. A message that could not be sent stays in the field.
 */
export function Composer(props: ComposerProps): ReactNode {
  const { sessionId, className, placeholder, label = "Message" } = props;
  const { sendLabel = "Send", cancelLabel = "Stop", attachments = [], onSent, children } = props;
  const { send, cancel, isBusy, state } = useSession(sessionId);
  const [text, setText] = useState("");
  const [error, setError] = useState<unknown>();
  const isOver = state === "ended";
  const isEmpty = text.trim() === "" && attachments.length === 0;

  const submit = async (): Promise<void> => {
    if (isEmpty || isOver) return;
    const message = text;
    setText("");
    setError(undefined);
    try {
      const said: InputPart[] = message.trim() === "" ? [] : [{ type: "text", text: message }];
      await send(attachments.length === 0 ? message : [...said, ...attachments]);
      onSent?.();
    } catch (reason) {
      setText((current) => (current === "" ? message : current));
      setError(reason);
    }
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void submit();
  };
  const stop = (): void => void cancel().catch(setError);
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter also ends the composition of characters, such as of Japanese.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void submit();
    } else if (event.key === "Escape" && isBusy) stop();
  };
  return (
    <form className={className} data-sandbox-agent="composer" data-state={state} onSubmit={onSubmit}>
      <textarea
        aria-label={label}
        placeholder={placeholder}
        rows={1}
        value={text}
        disabled={isOver}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {children}
      <div data-slot="actions">
        <button type="submit" disabled={isEmpty || isOver}>
          {sendLabel}
        </button>
        {isBusy ? (
          <button type="button" data-slot="cancel" onClick={stop}>
            {cancelLabel}
          </button>
        ) : null}
      </div>
      <ActionError error={error} />
    </form>
  );
}
