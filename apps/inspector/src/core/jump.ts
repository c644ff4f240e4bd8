// Finds the row of the transcript that an event belongs to.

import type { UniversalEvent } from "sandbox-agent";
import type { Row } from "./rows.ts";

/** A row to scroll to: the row of an event, or a row by its key. */
export interface JumpTarget {
  readonly event?: UniversalEvent | undefined;
  readonly eventId?: number | undefined;
  readonly key?: string | undefined;
  /** True if the row's card gets the focus. */
  readonly focus?: boolean;
}

/** Returns the index of the row, or undefined if it is on a page that has not been read. */
export function rowOfTarget(rows: readonly Row[], target: JumpTarget): number | undefined {
  if (target.key !== undefined) return found(rows.findLastIndex((row) => row.key === target.key));
  const id = target.event === undefined ? undefined : subjectOf(target.event);
  const named = id === undefined ? undefined : found(rows.findLastIndex((row) => isAbout(row, id)));
  if (named !== undefined) return named;
  const eventId = target.event?.id ?? target.eventId ?? 0;
  return found(rows.findLastIndex((row) => positionOf(row) <= eventId));
}

const found = (index: number): number | undefined => (index === -1 ? undefined : index);

/** The id of the message, request or turn that an event is about. */
function subjectOf({ data }: UniversalEvent): string | undefined {
  if ("message" in data && "id" in data.message) return data.message.id;
  if ("messageDelta" in data) return data.messageDelta.messageId;
  if ("messageWithdrawn" in data) return data.messageWithdrawn.messageId;
  if ("turnStarted" in data) return data.turnStarted.messageId;
  if ("turnEnded" in data) return data.turnEnded.turnId;
  if ("permissionAsked" in data) return data.permissionAsked.id;
  if ("permissionResolved" in data) return data.permissionResolved.id;
  if ("questionAsked" in data) return data.questionAsked.id;
  if ("questionResolved" in data) return data.questionResolved.id;
  return undefined;
}

function isAbout(row: Row, id: string): boolean {
  switch (row.type) {
    case "looked":
      return false;
    case "turnEnd":
      return row.item.turnId === id;
    case "other":
      return "id" in row.item && row.item.id === id;
    default:
      return row.item.id === id;
  }
}

function positionOf(row: Row): number {
  return row.type === "looked" ? Number.POSITIVE_INFINITY : row.item.position;
}
