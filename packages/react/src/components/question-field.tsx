// One question of a form: a native control for each kind of answer.

import { type ReactNode, useId } from "react";
import type { Question } from "sandbox-agent";

/** Value of the option that stands for a text of one's own. Labels are not empty. */
const OWN = "";

export interface QuestionFieldProps {
  question: Question;
  /** Names the controls within their form. */
  name: string;
  disabled: boolean;
}

export function QuestionField({ question, name, disabled }: QuestionFieldProps): ReactNode {
  const id = useId();
  const text = question.header === undefined ? question.question : `${question.header}: ${question.question}`;
  if (question.kind === "choice" || question.kind === "boolean") {
    return (
      <fieldset data-slot="field" data-kind={question.kind} disabled={disabled}>
        <legend>{text}</legend>
        <Choices question={question} name={name} />
      </fieldset>
    );
  }
  return (
    <div data-slot="field" data-kind={question.kind}>
      <label htmlFor={id}>{text}</label>
      {question.kind === "url" && question.url !== undefined ? (
        <a id={id} href={safeUrl(question.url)} target="_blank" rel="noreferrer noopener">
          {question.url}
        </a>
      ) : (
        <input id={id} name={name} disabled={disabled} {...attributesOf(question)} />
      )}
    </div>
  );
}

function Choices({ question, name }: { question: Question; name: string }): ReactNode {
  const { multiSelect, custom, required, default: suggested = [] } = question;
  const isBoolean = question.kind === "boolean";
  const options = isBoolean ? [{ label: "true" }, { label: "false" }] : (question.options ?? []);
  const type = multiSelect ? "checkbox" : "radio";
  const labels = options.map(({ label }) => label);
  const own = suggested.find((answer) => !labels.includes(answer));
  return (
    <>
      {options.map((option) => (
        <label key={option.label} data-slot="option">
          <input
            type={type}
            name={name}
            value={option.label}
            required={required && !multiSelect && !custom}
            defaultChecked={suggested.includes(option.label)}
          />
          <span>{isBoolean ? (option.label === "true" ? "Yes" : "No") : option.label}</span>
          {"description" in option && option.description !== undefined ? (
            <small>{option.description}</small>
          ) : null}
        </label>
      ))}
      {custom ? (
        <label data-slot="custom">
          {multiSelect ? null : (
            <input type="radio" name={name} value={OWN} defaultChecked={own !== undefined} />
          )}
          <span>Other</span>
          <input type="text" name={ownName(name)} defaultValue={own} />
        </label>
      ) : null}
    </>
  );
}

const ownName = (name: string): string => `${name} own`;

/** Returns the answer to a question, as the daemon takes it. */
export function answerOf(question: Question, name: string, data: FormData): string[] {
  const values = data.getAll(name).map(String);
  if (question.kind === "choice" && question.custom) {
    const own = String(data.get(ownName(name)) ?? "").trim();
    const chosen = values.filter((value) => value !== OWN);
    // A text of one's own counts if it is selected, or if nothing else is.
    const counts = question.multiSelect || values.includes(OWN) || chosen.length === 0;
    return own !== "" && counts ? [...chosen, own] : chosen;
  }
  return values.filter((value) => value !== "");
}

const TYPES: Record<string, string> = {
  email: "email",
  uri: "url",
  date: "date",
};

function attributesOf(question: Question): Record<string, unknown> {
  const { required, minimum, maximum, minLength, maxLength, pattern } = question;
  const defaultValue = question.default?.[0];
  switch (question.kind) {
    case "integer":
    case "number":
      return {
        type: "number",
        step: question.kind === "integer" ? 1 : "any",
        min: minimum,
        max: maximum,
        required,
        defaultValue,
      };
    default: {
      const type = question.kind === "url" ? "url" : (TYPES[question.format ?? ""] ?? "text");
      // A pattern may match anywhere in the text; that of HTML has to match all of it.
      const whole = pattern === undefined ? undefined : `[\\s\\S]*(?:${pattern})[\\s\\S]*`;
      return { type, required, minLength, maxLength, pattern: whole, defaultValue };
    }
  }
}

/** An agent writes the address; one that runs a script must not become a link. */
function safeUrl(url: string): string | undefined {
  try {
    return ["http:", "https:"].includes(new URL(url).protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}
