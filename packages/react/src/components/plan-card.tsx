// The approval of a plan.

import { type ReactNode, useId } from "react";
import type { QuestionItem } from "sandbox-agent/transcript";
import { useStores } from "../provider.tsx";
import { ActionError, useAction } from "./action-error.tsx";

export interface PlanCardProps {
  sessionId: string;
  /** A question whose `request.planApproval` is true. */
  item: QuestionItem;
  className?: string;
  /** Renders the plan, which is Markdown; as text by default. */
  renderPlan?: (plan: string) => ReactNode;
  /** Label of the button that declines to decide. */
  rejectLabel?: string;
}

/** Shows a plan with a button for each way to decide. */
export function PlanCard(props: PlanCardProps): ReactNode {
  const { sessionId, item, className, renderPlan, rejectLabel = "Reject" } = props;
  const store = useStores().session(sessionId);
  const title = useId();
  const { error, run } = useAction();
  const { request, state } = item;
  const [question] = request.questions;
  const isOpen = state.type === "open";
  const decided = state.type === "resolved" ? (state.answers?.[0]?.[0] ?? state.outcome) : undefined;
  // Other questions of the request, if there are any, keep their defaults.
  const answer = (label: string): Promise<boolean> =>
    store.replyQuestion(
      item.id,
      request.questions.map((one, index) => (index === 0 ? [label] : (one.default ?? []))),
    );
  return (
    <section
      className={className}
      aria-labelledby={title}
      data-sandbox-agent="plan"
      data-state={state.type}
      data-answer={decided}
    >
      <div data-slot="plan">
        {renderPlan === undefined ? <pre>{request.message}</pre> : renderPlan(request.message ?? "")}
      </div>
      <p id={title} data-slot="title">
        {question?.question}
      </p>
      <div data-slot="actions">
        {question?.options?.map(({ label, description }) => (
          <button
            key={label}
            type="button"
            title={description}
            disabled={!isOpen}
            onClick={() => run(answer(label))}
          >
            {label}
          </button>
        ))}
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
    </section>
  );
}
