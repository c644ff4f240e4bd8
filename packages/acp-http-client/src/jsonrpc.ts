// JSON-RPC 2.0 messages as ACP uses them. The shapes are those of the official SDK, so streams of both fit together.

export type JsonRpcId = string | number | null;

/** A message that expects a response. */
export interface JsonRpcRequest {
  jsonrpc: "2.0";
  id: JsonRpcId;
  method: string;
  params?: unknown;
}

/** A message that expects none. */
export interface JsonRpcNotification {
  jsonrpc: "2.0";
  method: string;
  params?: unknown;
}

export interface JsonRpcErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

export type JsonRpcResponse = { jsonrpc: "2.0"; id: JsonRpcId } & (
  | { result: unknown }
  | { error: JsonRpcErrorObject }
);

export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/** Cancels the request that `params.requestId` names. */
export const CANCEL_REQUEST = "$/cancel_request";

/** Codes that this package itself answers with. */
export const INTERNAL_ERROR = -32603;
export const METHOD_NOT_FOUND = -32601;

export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return "method" in message && "id" in message;
}

export function isNotification(message: JsonRpcMessage): message is JsonRpcNotification {
  return "method" in message && !("id" in message);
}

export function isResponse(message: JsonRpcMessage): message is JsonRpcResponse {
  return !("method" in message);
}

/** Returns whether a value has the shape of a message. Members beyond the envelope are not checked. */
export function isMessage(value: unknown): value is JsonRpcMessage {
  if (!isObject(value)) return false;
  if ("method" in value)
    return typeof value["method"] === "string" && (!("id" in value) || isId(value["id"]));
  return "id" in value && isId(value["id"]) && ("result" in value || isObject(value["error"]));
}

/** Parses a message. Returns `undefined` for anything else. */
export function parseMessage(text: string): JsonRpcMessage | undefined {
  const value = parseJson(text);
  return isMessage(value) ? value : undefined;
}

/** Parses JSON. Returns `undefined` if it is malformed. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the session that a request or notification names in its parameters. */
export function sessionOf(message: JsonRpcMessage): string | undefined {
  return isResponse(message) ? undefined : sessionIn(message.params);
}

/** Returns the member `sessionId` of parameters or of a result. */
export function sessionIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { sessionId } = value;
  return typeof sessionId === "string" ? sessionId : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is JsonRpcId {
  return value === null || typeof value === "string" || typeof value === "number";
}
