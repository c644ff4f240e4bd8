// Answers to questions: their first values, and the same checks that the daemon makes.

import type { Question } from "sandbox-agent";

/** The input for one question: chosen labels, and free text. */
export interface Draft {
  readonly chosen: readonly string[];
  readonly text: string;
}

export function firstDraft(question: Question): Draft {
  const given = question.default ?? [];
  const labels = new Set(question.options?.map((option) => option.label));
  const text = given.find((value) => !labels.has(value)) ?? "";
  return { chosen: given.filter((value) => labels.has(value)), text };
}

/** Returns the list that a reply has for this question. */
export function answerOf(question: Question, draft: Draft): string[] {
  const text = draft.text.trim();
  if (question.kind !== "choice") return text === "" ? [] : [text];
  const custom = question.custom && text !== "" ? [text] : [];
  if (question.multiSelect) return [...draft.chosen, ...custom];
  return custom.length > 0 ? custom : draft.chosen.slice(0, 1);
}

/** Returns what is wrong with an answer, for the reader. */
export function problemOf(question: Question, answer: readonly string[]): string | undefined {
  const [first] = answer;
  if (first === undefined) return question.required ? "An answer is required." : undefined;
  switch (question.kind) {
    case "number":
    case "integer":
      return numberProblem(question, first);
    case "choice":
      return countProblem(question, answer.length);
    default:
      return textProblem(question, first);
  }
}

function numberProblem(question: Question, text: string): string | undefined {
  const value = Number(text);
  if (!Number.isFinite(value)) return "Enter a number.";
  if (question.kind === "integer" && !Number.isInteger(value)) return "Enter a whole number.";
  if (question.minimum !== undefined && value < question.minimum) return `At least ${question.minimum}.`;
  if (question.maximum !== undefined && value > question.maximum) return `At most ${question.maximum}.`;
  return undefined;
}

function countProblem(question: Question, count: number): string | undefined {
  if (question.minItems !== undefined && count < question.minItems)
    return `Choose at least ${question.minItems}.`;
  if (question.maxItems !== undefined && count > question.maxItems)
    return `Choose at most ${question.maxItems}.`;
  return undefined;
}

function textProblem(question: Question, text: string): string | undefined {
  const { length } = [...text];
  if (question.minLength !== undefined && length < question.minLength)
    return `At least ${question.minLength} characters.`;
  if (question.maxLength !== undefined && length > question.maxLength)
    return `At most ${question.maxLength} characters.`;
  return undefined;
}
