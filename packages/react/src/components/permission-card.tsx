// A request for permission with a button for each way to decide.

import { type ReactNode, useId } from "react";
import type { PermissionOption } from "sandbox-agent";
import type { PermissionItem } from "sandbox-agent/transcript";
import { useStores } from "../provider.tsx";
import { ActionError, useAction } from "./action-error.tsx";

export interface PermissionCardProps {
  sessionId: string;
  item: PermissionItem;
  className?: string;
  /** Shown between the title and the buttons; the input of the tool as JSON by default. */
  children?: ReactNode;
}

/**
 * Shows a permission request. The buttons are the options of the agent; once somebody has decided, they are disabled and
 * `data-state` is `resolved`, with the decision in `data-reply`.
 */
export function PermissionCard({ sessionId, item, className, children }: PermissionCardProps): ReactNode {
  const store = useStores().session(sessionId);
  const title = useId();
  const { error, run } = useAction();
  const { request, state } = item;
  const isOpen = state.type === "open";
  const decide = ({ id, reply }: PermissionOption): void =>
    run(store.replyPermission(item.id, { reply, optionId: id }));
  return (
    <section
      className={className}
      aria-labelledby={title}
      data-sandbox-agent="permission"
      data-state={state.type}
      data-reply={state.type === "resolved" ? (state.reply ?? state.by) : undefined}
      data-kind={request.kind}
    >
      <p id={title} data-slot="title">
        {request.title}
      </p>
      {children ?? <InputPreview input={request.input} />}
      <div data-slot="actions">
        {request.options.map((option) => (
          <button
            key={option.id}
            type="button"
            disabled={!isOpen}
            data-reply={option.reply}
            onClick={() => decide(option)}
          >
            {option.name}
          </button>
        ))}
      </div>
      <ActionError error={error} />
    </section>
  );
}

function InputPreview({ input }: { input: unknown }): ReactNode {
  if (input === undefined || input === null) return null;
  return <pre data-slot="input">{typeof input === "string" ? input : JSON.stringify(input, null, 2)}</pre>;
}
