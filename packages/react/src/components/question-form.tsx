// A question of the agent as a form.

import { type FormEvent, type ReactNode, useId } from "react";
import type { QuestionItem } from "sandbox-agent/transcript";
import { useStores } from "../provider.tsx";
import { ActionError, useAction } from "./action-error.tsx";
import { answerOf, QuestionField } from "./question-field.tsx";

export interface QuestionFormProps {
  sessionId: string;
  item: QuestionItem;
  className?: string;
  submitLabel?: string;
  /** Label of the button that declines to answer. */
  rejectLabel?: string;
}

/** Shows a question with a native control for each field. The browser checks what the agent requires. */
export function QuestionForm(props: QuestionFormProps): ReactNode {
  const { sessionId, item, className, submitLabel = "Answer", rejectLabel = "Skip" } = props;
  const store = useStores().session(sessionId);
  const title = useId();
  const { error, run } = useAction();
  const { request, state } = item;
  const isOpen = state.type === "open";
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const answers = request.questions.map((question, index) => answerOf(question, nameOf(index), data));
    run(store.replyQuestion(item.id, answers));
  };
  return (
    <form
      className={className}
      aria-labelledby={request.message === undefined ? undefined : title}
      data-sandbox-agent="question"
      data-state={state.type}
      data-outcome={state.type === "resolved" ? state.outcome : undefined}
      onSubmit={onSubmit}
    >
      {request.message === undefined ? null : (
        <p id={title} data-slot="title">
          {request.message}
        </p>
      )}
      {request.questions.map((question, index) => (
        <QuestionField key={nameOf(index)} question={question} name={nameOf(index)} disabled={!isOpen} />
      ))}
      <div data-slot="actions">
        <button type="submit" disabled={!isOpen}>
          {submitLabel}
        </button>
        <button
          type="button"
          data-reply="reject"
          disabled={!isOpen}
          onClick={() => run(store.rejectQuestion(item.id))}
        >
          {rejectLabel}
        </button>
      </div>
      <ActionError error={error} />
    </form>
  );
}

/** Questions have no ids; their place in the request identifies them. */
const nameOf = (index: number): string => `question-${index}`;
