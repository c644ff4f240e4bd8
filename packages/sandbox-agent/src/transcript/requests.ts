// Permissions and questions: open until somebody decides, and kept at their place afterwards.

import type {
  PermissionRequest,
  PermissionResolvedEvent,
  QuestionRequest,
  QuestionResolvedEvent,
} from "../generated/openapi.gen.ts";
import type { Reading } from "./messages.ts";
import type { PermissionItem, PermissionState, QuestionItem, QuestionState, Transcript } from "./model.ts";
import { itemOf, keepOutcome, put, settlePlace } from "./placing.ts";

interface Moment {
  readonly id: number;
  readonly timestamp: string;
}

const permissionKey = (id: string): string => `permission:${id}`;
const questionKey = (id: string): string => `question:${id}`;

export function permissionItem(
  request: PermissionRequest,
  at: Moment,
  state: PermissionState,
): PermissionItem {
  const place = { key: permissionKey(request.id), position: at.id, timestamp: at.timestamp };
  return { kind: "permission", id: request.id, request, state, ...place };
}

export function questionItem(request: QuestionRequest, at: Moment, state: QuestionState): QuestionItem {
  const place = { key: questionKey(request.id), position: at.id, timestamp: at.timestamp };
  return { kind: "question", id: request.id, request, state, ...place };
}

/** A request that is asked again after a restart keeps its id. It is open again and moves to where it was asked last. */
export function askPermission(
  transcript: Transcript,
  request: PermissionRequest,
  at: Moment,
  reading: Reading,
): Transcript {
  const key = permissionKey(request.id);
  if (isAskedLater(transcript, key, at)) return transcript;
  const ended = reading === "past" ? transcript.index.outcomes.get(key) : undefined;
  const state: PermissionState = ended?.of === "permission" ? ended.state : { type: "open" };
  return settlePlace(put(transcript, permissionItem(request, at, state)), key);
}

export function askQuestion(
  transcript: Transcript,
  request: QuestionRequest,
  at: Moment,
  reading: Reading,
): Transcript {
  const key = questionKey(request.id);
  if (isAskedLater(transcript, key, at)) return transcript;
  const ended = reading === "past" ? transcript.index.outcomes.get(key) : undefined;
  const state: QuestionState = ended?.of === "question" ? ended.state : { type: "open" };
  return settlePlace(put(transcript, questionItem(request, at, state)), key);
}

export function resolvePermission(transcript: Transcript, event: PermissionResolvedEvent): Transcript {
  const { id, ...decision } = event.data.permissionResolved;
  const key = permissionKey(id);
  const state: PermissionState = { type: "resolved", ...decision, at: event.timestamp };
  const item = itemOf(transcript, key);
  if (item?.kind !== "permission") return keepOutcome(transcript, key, event.id, { of: "permission", state });
  return isAskedLater(transcript, key, event) ? transcript : put(transcript, { ...item, state });
}

export function resolveQuestion(transcript: Transcript, event: QuestionResolvedEvent): Transcript {
  const { id, ...decision } = event.data.questionResolved;
  const key = questionKey(id);
  const state: QuestionState = { type: "resolved", ...decision, at: event.timestamp };
  const item = itemOf(transcript, key);
  if (item?.kind !== "question") return keepOutcome(transcript, key, event.id, { of: "question", state });
  return isAskedLater(transcript, key, event) ? transcript : put(transcript, { ...item, state });
}

/** Brings the list of open permissions up to date with one item. */
export function withOpenPermission(transcript: Transcript, id: string): Transcript {
  const others = transcript.permissions.filter((open) => open.id !== id);
  const item = itemOf(transcript, permissionKey(id));
  const isOpen = item?.kind === "permission" && item.state.type === "open";
  return { ...transcript, permissions: isOpen ? [...others, item] : others };
}

export function withOpenQuestion(transcript: Transcript, id: string): Transcript {
  const others = transcript.questions.filter((open) => open.id !== id);
  const item = itemOf(transcript, questionKey(id));
  const isOpen = item?.kind === "question" && item.state.type === "open";
  return { ...transcript, questions: isOpen ? [...others, item] : others };
}

/** Returns true if a newer event asked the same, which a page has brought before this event. */
function isAskedLater(transcript: Transcript, key: string, at: Moment): boolean {
  const { positions, estimated } = transcript.index;
  return (positions.get(key) ?? 0) > at.id && !estimated.has(key);
}
