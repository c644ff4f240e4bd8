// Sends messages by POST. Repeats only what the agent cannot act on twice.

import { type AcpTransportError, DeliveryError, HttpStatusError, ProtocolError } from "../errors.ts";
import {
  CANCEL_REQUEST,
  isNotification,
  isRequest,
  isResponse,
  type JsonRpcMessage,
  parseMessage,
} from "../jsonrpc.ts";
import { Backoff, type BackoffOptions, sleep } from "../sse/backoff.ts";
import { untilAborted } from "../sse/until-aborted.ts";
import type { Delivery } from "../transport.ts";
import { deliveryError, discard, type Endpoint, readText, statusError } from "./endpoint.ts";
import { serialize } from "./serialize.ts";

export interface PostOptions {
  headers?: Record<string, string> | undefined;
  query?: Record<string, string> | undefined;
  /** Ends the attempt and all waits. */
  signal: AbortSignal;
  /** Longest wait for the status; none if the status comes with the response. */
  statusMs: number | undefined;
  /** Called with each response before its body is read. */
  onStatus?: ((response: Response) => void) | undefined;
  retry: BackoffOptions;
  maxMessageBytes: number;
  /** Returns whether a stream is open on which a response would come too. */
  hasStream: () => boolean;
}

/** Delivers a message, or rejects with an `AcpTransportError`. */
export async function post(
  endpoint: Endpoint,
  message: JsonRpcMessage,
  options: PostOptions,
): Promise<Delivery> {
  const backoff = new Backoff(options.retry);
  for (;;) {
    try {
      return await attempt(endpoint, message, options);
    } catch (error) {
      if (await waitToRepeat(error, message, backoff, options.signal)) continue;
      const mayBeAnswered =
        isRequest(message) && error instanceof DeliveryError && error.outcome === "unknown";
      if (mayBeAnswered && options.hasStream()) return { kind: "unconfirmed", error };
      throw error;
    }
  }
}

/** Waits before another attempt. Returns false if there is none. */
async function waitToRepeat(
  error: unknown,
  message: JsonRpcMessage,
  backoff: Backoff,
  signal: AbortSignal,
): Promise<boolean> {
  if (!isTransient(error)) return false;
  if (error.outcome === "unknown" && !isRepeatable(message)) return false;
  const delay = backoff.next(error instanceof HttpStatusError ? error.retryAfterMs : 0);
  if (delay === undefined) return false;
  await sleep(delay, signal).catch(() => undefined);
  return !signal.aborted;
}

async function attempt(endpoint: Endpoint, message: JsonRpcMessage, options: PostOptions): Promise<Delivery> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(options.signal.reason);
  if (options.signal.aborted) abort();
  options.signal.addEventListener("abort", abort, { once: true });
  try {
    const response = await status(endpoint, message, options, controller);
    options.onStatus?.(response);
    return await read(response, message, options);
  } finally {
    options.signal.removeEventListener("abort", abort);
  }
}

/** Sends the message and returns the response once its status is known. */
async function status(
  endpoint: Endpoint,
  message: JsonRpcMessage,
  { statusMs, headers, query }: PostOptions,
  controller: AbortController,
): Promise<Response> {
  const body = serialize(message);
  const late = (): void => controller.abort(new Error(`no status within ${statusMs} ms`));
  const timer = statusMs === undefined ? undefined : setTimeout(late, statusMs);
  try {
    const { signal } = controller;
    const accept = { "Content-Type": "application/json", Accept: "application/json" };
    const sending = endpoint.fetch("POST", { headers: { ...accept, ...headers }, query, body, signal });
    // A response that comes too late would hold its connection.
    sending.then((response) => signal.aborted && discard(response)).catch(() => undefined);
    return await untilAborted(sending, signal);
  } catch (error) {
    throw deliveryError(error, describe(message));
  } finally {
    clearTimeout(timer);
  }
}

async function read(response: Response, message: JsonRpcMessage, options: PostOptions): Promise<Delivery> {
  if (!response.ok) return refusal(message, await statusError(response, describe(message)));
  if (response.status === 202 || response.status === 204 || !isRequest(message)) {
    discard(response);
    return { kind: "delivered" };
  }
  let text: string;
  try {
    text = await readText(response, options.maxMessageBytes);
  } catch (error) {
    // The server has the request, as it has answered with a status. Its response comes on the stream as well.
    if (options.hasStream()) return { kind: "delivered" };
    throw deliveryError(error, describe(message));
  }
  const answer = parseMessage(text);
  if (answer !== undefined && isResponse(answer)) return { kind: "answered", response: answer };
  throw new ProtocolError(`${describe(message)} was not answered with a JSON-RPC response`, "unknown");
}

/** A server may report a failure as a JSON-RPC error with an error status. */
function refusal(message: JsonRpcMessage, error: HttpStatusError): Delivery {
  const answer = parseMessage(error.body);
  const isError = answer !== undefined && isResponse(answer) && "error" in answer;
  if (isError && isRequest(message) && answer.id === message.id)
    return { kind: "answered", response: answer };
  throw error;
}

/** Failures of the way to the server. A refusal for another reason would be repeated in vain. */
function isTransient(error: unknown): error is AcpTransportError {
  if (error instanceof DeliveryError) return true;
  return error instanceof HttpStatusError && [429, 502, 503, 504].includes(error.status);
}

/** An agent ignores a second response to the same request, and a second cancellation. */
function isRepeatable(message: JsonRpcMessage): boolean {
  if (isResponse(message)) return true;
  return (
    isNotification(message) && (message.method === "session/cancel" || message.method === CANCEL_REQUEST)
  );
}

function describe(message: JsonRpcMessage): string {
  return "method" in message ? `sending '${message.method}'` : "sending a response";
}
