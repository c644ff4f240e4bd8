// One question of a form, by its kind.

import { type ReactElement, useId } from "react";
import type { Question } from "sandbox-agent";
import type { Draft } from "../core/answers.ts";
import { toggled } from "./question-card.tsx";

interface QuestionFieldProps {
  question: Question;
  draft: Draft;
  problem: string | undefined;
  /** Shows which digit chooses which option. */
  digits: boolean;
  onDraft: (draft: Draft) => void;
}

export function QuestionField(props: QuestionFieldProps): ReactElement {
  const { question, problem } = props;
  const id = useId();
  return (
    <fieldset className="question" aria-describedby={problem === undefined ? undefined : id}>
      <legend className="question-text">
        {question.header === undefined ? null : <span className="question-header">{question.header} · </span>}
        {question.question}
        {question.required ? null : <span className="question-header"> (optional)</span>}
      </legend>
      <Control {...props} />
      {problem === undefined ? null : (
        <span className="field-error" id={id}>
          {problem}
        </span>
      )}
    </fieldset>
  );
}

function Control(props: QuestionFieldProps): ReactElement {
  const { question, draft, onDraft } = props;
  const setText = (text: string): void => onDraft({ ...draft, text });
  switch (question.kind) {
    case "choice":
      return <Choice {...props} />;
    case "boolean":
      return (
        <select
          className="input"
          aria-label={question.question}
          value={draft.text}
          onChange={(event) => setText(event.target.value)}
        >
          <option value="">No answer</option>
          <option value="true">Yes</option>
          <option value="false">No</option>
        </select>
      );
    case "number":
    case "integer":
      return (
        <input
          className="input"
          aria-label={question.question}
          type="number"
          inputMode="decimal"
          step={question.kind === "integer" ? 1 : "any"}
          min={question.minimum}
          max={question.maximum}
          value={draft.text}
          onChange={(event) => setText(event.target.value)}
        />
      );
    case "url":
      return (
        <a
          href={/^https?:/.test(question.url ?? "") ? question.url : undefined}
          target="_blank"
          rel="noopener noreferrer"
        >
          {question.url}
        </a>
      );
    default:
      return (
        <input
          className="input"
          aria-label={question.question}
          type="text"
          value={draft.text}
          onChange={(event) => setText(event.target.value)}
        />
      );
  }
}

function Choice({ question, draft, digits, onDraft }: QuestionFieldProps): ReactElement {
  const name = useId();
  const choose = (label: string): void =>
    onDraft(question.multiSelect ? toggled(draft, label) : { chosen: [label], text: "" });
  return (
    <div className="options">
      {(question.options ?? []).map((option, index) => (
        <label className="option" key={option.label}>
          <input
            type={question.multiSelect ? "checkbox" : "radio"}
            name={name}
            checked={draft.chosen.includes(option.label)}
            onChange={() => choose(option.label)}
          />
          <span className="option-text">
            {option.label}
            {option.description === undefined ? null : (
              <span className="option-detail">{option.description}</span>
            )}
          </span>
          {digits && index < 9 ? (
            <span className="kbd" aria-hidden="true">
              {index + 1}
            </span>
          ) : null}
        </label>
      ))}
      {question.custom ? (
        <input
          className="input"
          type="text"
          aria-label={`Other answer: ${question.question}`}
          placeholder="Another answer"
          value={draft.text}
          onChange={(event) =>
            onDraft({ chosen: question.multiSelect ? draft.chosen : [], text: event.target.value })
          }
        />
      ) : null}
    </div>
  );
}
