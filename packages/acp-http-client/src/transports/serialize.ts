// Messages as text.

import { ProtocolError } from "../errors.ts";
import type { JsonRpcMessage } from "../jsonrpc.ts";

/** Returns a message as JSON. Throws a `ProtocolError` for values that JSON cannot express. */
export function serialize(message: JsonRpcMessage): string {
  try {
    return JSON.stringify(message);
  } catch (error) {
    throw new ProtocolError("the message cannot be expressed as JSON", "not-sent", { cause: error });
  }
}
