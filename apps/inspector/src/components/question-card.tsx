// A question as a form, and the approval of a plan.

import { type ReactElement, useEffect, useRef, useState } from "react";
import type { Question, QuestionRequest } from "sandbox-agent";
import type { QuestionItem, QuestionState } from "sandbox-agent/transcript";
import { answerOf, type Draft, firstDraft, problemOf } from "../core/answers.ts";
import { Button } from "./controls.tsx";
import { DecisionRow } from "./decision-row.tsx";
import { Icon } from "./icons.tsx";
import { Markdown } from "./markdown.tsx";
import { QuestionField } from "./question-field.tsx";
import { ScrollRegion } from "./scroll-region.tsx";
import "./cards.css";

interface QuestionCardProps {
  item: QuestionItem;
  onReply: (id: string, answers: string[][]) => void;
  onReject: (id: string) => void;
  /** Sends a message after a plan was sent back. */
  onFeedback: (text: string) => void;
}

export function QuestionCard(props: QuestionCardProps): ReactElement {
  const { item, onReply, onReject, onFeedback } = props;
  if (item.state.type === "resolved") return <QuestionDone request={item.request} state={item.state} />;
  const reply = (answers: string[][]): void => onReply(item.id, answers);
  if (item.request.planApproval === true) {
    return <PlanCard request={item.request} onReply={reply} onFeedback={onFeedback} />;
  }
  return <QuestionForm request={item.request} onReply={reply} onReject={() => onReject(item.id)} />;
}

function QuestionForm(props: {
  request: QuestionRequest;
  onReply: (answers: string[][]) => void;
  onReject: () => void;
}): ReactElement {
  const { questions, message } = props.request;
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => questions.map(firstDraft));
  const [tried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (document.activeElement?.matches("textarea, input") === true) return;
    form.current?.querySelector<HTMLElement>("input, textarea, select")?.focus({ preventScroll: true });
  }, []);
  const answers = questions.map((question, index) =>
    answerOf(question, drafts[index] ?? firstDraft(question)),
  );
  const problems = questions.map((question, index) => problemOf(question, answers[index] ?? []));
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (problems.every((problem) => problem === undefined)) props.onReply(answers);
  };
  const setDraft = (at: number, draft: Draft): void => setDrafts((all) => all.with(at, draft));
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const only = questions.length === 1 ? questions[0] : undefined;
    const option = only?.options?.[Number(event.key) - 1];
    const typing = event.target instanceof HTMLElement && event.target.matches("input[type=text], textarea");
    if (only?.kind !== "choice" || option === undefined || typing) return;
    event.preventDefault();
    if (only.multiSelect) setDraft(0, toggled(drafts[0] ?? firstDraft(only), option.label));
    else props.onReply([[option.label]]);
  };
  return (
    <form
      className="card card-open"
      aria-label="Question"
      ref={form}
      onSubmit={submit}
      onKeyDown={onKeyDown}
      noValidate
    >
      <div className="card-head">
        <Icon name="question" />
        <span className="card-title">{message ?? "The agent has a question"}</span>
      </div>
      <div className="question-form">
        {questions.map((question, index) => (
          <QuestionField
            key={`${question.header ?? ""}${question.question}`}
            question={question}
            draft={drafts[index] ?? firstDraft(question)}
            problem={tried ? problems[index] : undefined}
            digits={questions.length === 1}
            onDraft={(draft) => setDraft(index, draft)}
          />
        ))}
      </div>
      <div className="card-actions">
        <Button type="submit" look="primary" hint="⏎">
          Answer
        </Button>
        <Button look="quiet" onClick={props.onReject}>
          Decline
        </Button>
      </div>
    </form>
  );
}

export function toggled(draft: Draft, label: string): Draft {
  const chosen = draft.chosen.includes(label)
    ? draft.chosen.filter((other) => other !== label)
    : [...draft.chosen, label];
  return { ...draft, chosen };
}

/** The agent's own options; those that refuse take feedback. */
function PlanCard(props: {
  request: QuestionRequest;
  onReply: (answers: string[][]) => void;
  onFeedback: (text: string) => void;
}): ReactElement {
  const [question] = props.request.questions;
  const [feedback, setFeedback] = useState("");
  const options = question?.options ?? [];
  const choose = (label: string): void => {
    props.onReply([[label], ...props.request.questions.slice(1).map(() => [])]);
    if (isRefusal(label) && feedback.trim() !== "") props.onFeedback(feedback.trim());
  };
  return (
    <fieldset className="card card-open" aria-label="Plan">
      <div className="card-head">
        <Icon name="list" />
        <span className="card-title">{question?.question ?? "Approve this plan?"}</span>
      </div>
      {props.request.message === undefined ? null : (
        <ScrollRegion className="plan-body" label="Plan text">
          <Markdown text={props.request.message} />
        </ScrollRegion>
      )}
      <input
        className="input"
        aria-label="Feedback if you keep planning"
        placeholder="Feedback (optional)"
        value={feedback}
        onChange={(event) => setFeedback(event.target.value)}
      />
      <div className="card-actions">
        {options.map((option, index) => (
          <Button
            key={option.label}
            look={index === 0 && !isRefusal(option.label) ? "primary" : "plain"}
            title={option.description}
            onClick={() => choose(option.label)}
          >
            {option.label}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

function isRefusal(label: string): boolean {
  return /^(no\b|reject|keep|stay|cancel|deny)/i.test(label);
}

const OUTCOMES: Record<string, string> = {
  answered: "Answered",
  rejected: "Declined",
  cancelled: "Not answered",
};

function QuestionDone(props: {
  request: QuestionRequest;
  state: Extract<QuestionState, { type: "resolved" }>;
}): ReactElement {
  const { request, state } = props;
  const answers = (state.answers ?? []).map((answer) => answer.join(", ")).filter((text) => text !== "");
  const answer = answers.length === 0 ? "" : ` — ${answers.join(" · ")}`;
  return (
    <DecisionRow
      id={request.id}
      icon={request.planApproval === true ? "list" : "question"}
      outcome={OUTCOMES[state.outcome] ?? state.outcome}
      state={state}
      subject={`${request.questions.map(text).join(" · ")}${answer}`}
    />
  );
}

function text(question: Question): string {
  return question.question;
}
