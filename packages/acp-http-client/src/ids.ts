// Ids of requests on the wire. Clients that share an agent all count from 0, so their ids are replaced by unique ones.

import { CANCEL_REQUEST, isNotification, isObject, type JsonRpcId, type JsonRpcMessage } from "./jsonrpc.ts";

/** Translates the ids of a client's requests into ids that no other client uses. */
export class IdScope {
  readonly #prefix: string | undefined;
  #count = 0;
  readonly #wireIds = new Map<JsonRpcId, string>();

  /** @param shared Without it, ids stay as they are. */
  constructor(shared: boolean) {
    this.#prefix = shared ? `${randomHex(8)}:` : undefined;
  }

  /** Returns the id for a request on the wire. */
  assign(id: JsonRpcId): JsonRpcId {
    if (this.#prefix === undefined) return id;
    const wireId = `${this.#prefix}${this.#count}`;
    this.#count += 1;
    this.#wireIds.set(id, wireId);
    return wireId;
  }

  /** Forgets a request that has been answered. */
  release(id: JsonRpcId, wireId: JsonRpcId): void {
    if (this.#wireIds.get(id) === wireId) this.#wireIds.delete(id);
  }

  /** Replaces the id in a notification that cancels one of our requests. */
  translate(message: JsonRpcMessage): JsonRpcMessage {
    if (!isNotification(message) || message.method !== CANCEL_REQUEST || !isObject(message.params))
      return message;
    const wireId = this.#wireIds.get(message.params["requestId"] as JsonRpcId);
    return wireId === undefined ? message : { ...message, params: { ...message.params, requestId: wireId } };
  }
}

function randomHex(bytes: number): string {
  const values = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(values, (value) => value.toString(16).padStart(2, "0")).join("");
}
