// Separates the events of one turn from the others in a session's log.

import type { MessageAccepted, UniversalEvent } from "../generated/openapi.gen.ts";

/**
 * Follows the log from the message of a turn to its end. One turn runs at a time, so everything in between belongs to it,
 * except for messages that are queued or withdrawn meanwhile.
 */
export class TurnScope {
  #accepted: MessageAccepted | undefined;
  #phase: "waiting" | "running" | "over" = "waiting";

  begin(accepted: MessageAccepted): void {
    this.#accepted = accepted;
  }

  /** Marks the turn as running, where its start was missed. */
  enter(): void {
    this.#phase = "running";
  }

  get isOver(): boolean {
    return this.#phase === "over";
  }

  /** Returns whether the next event of the log belongs to the turn. */
  includes(event: UniversalEvent): boolean {
    if (this.#accepted === undefined) return false;
    const { turnId, messageId, eventId } = this.#accepted;
    switch (event.type) {
      case "turnStarted":
        if (event.data.turnStarted.turnId === turnId) this.#phase = "running";
        break;
      case "turnEnded":
        if (event.data.turnEnded.turnId === turnId) return this.#end();
        break;
      case "messageWithdrawn":
        return event.data.messageWithdrawn.turnId === turnId && this.#end();
      case "message":
        if (event.data.message.role === "user") return event.id === eventId;
        break;
      case "queueHeld":
        return event.data.queueHeld.messageIds.includes(messageId);
      case "queueReleased":
        return event.data.queueReleased.messageIds.includes(messageId);
      case "queueReordered":
        return event.data.queueReordered.messageIds.includes(messageId);
      default:
    }
    return this.#phase === "running" || event.id === eventId;
  }

  #end(): true {
    this.#phase = "over";
    return true;
  }
}
