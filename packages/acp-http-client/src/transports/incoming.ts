// The events of servers on their streams: messages, and facts about the transport.

import type { AgentExit, GapEvent, UnparsedEvent } from "../events.ts";
import { isMessage, isObject, parseJson } from "../jsonrpc.ts";
import type { TransportSink } from "../transport.ts";

/** An event of a stream or a socket, with its data parsed if it is JSON. */
export interface IncomingEvent {
  event: string;
  data: unknown;
  /** The data as it came. */
  text: string;
}

/** Passes an event on. Resolves once there is room for the next one. */
export async function receive(
  sink: TransportSink,
  { event, data, text }: IncomingEvent,
  sessionId?: string,
): Promise<void> {
  if (event === "message" || event === "response") {
    if (isMessage(data)) return sink.onMessage(data);
    sink.onEvent({ type: "unknown", event, data: text });
    return;
  }
  const fields = isObject(data) ? data : {};
  if (event === "gap") sink.onGap({ ...toGap(fields), sessionId });
  else if (event === "exit") sink.onExit(toExit(fields));
  else if (event === "unparsed") sink.onEvent(toUnparsed(fields, text));
  else sink.onEvent({ type: "unknown", event, data: text });
}

/** Returns an event whose data is text. */
export function fromText(event: string, text: string): IncomingEvent {
  return { event, data: parseJson(text), text };
}

function toGap({ oldest, newest }: Record<string, unknown>): Pick<GapEvent, "oldest" | "newest"> {
  return { oldest: numberOr(oldest, undefined), newest: numberOr(newest, undefined) };
}

function toExit({ code, signal, stderrTail }: Record<string, unknown>): AgentExit {
  return {
    code: numberOr(code, null),
    signal: typeof signal === "string" ? signal : null,
    stderrTail: typeof stderrTail === "string" ? stderrTail : "",
  };
}

function toUnparsed({ raw, bytes, truncated, reason }: Record<string, unknown>, text: string): UnparsedEvent {
  return {
    type: "unparsed",
    raw: typeof raw === "string" ? raw : text,
    bytes: numberOr(bytes, undefined),
    truncated: truncated === true,
    reason: typeof reason === "string" ? reason : undefined,
  };
}

function numberOr<T>(value: unknown, otherwise: T): number | T {
  return typeof value === "number" ? value : otherwise;
}
