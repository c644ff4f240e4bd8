// The demo agent's text, as clients see it.

/** A prompt of one text. */
export const text = (words) => [{ type: "text", text: words }];

/** The text that these session updates carry, in order. */
export function said(updates) {
  return updates
    .filter((update) => update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
    .map((update) => update.content.text)
    .join("");
}

/** The text that the command `stream N` sends. */
export const counted = (count) => Array.from({ length: count }, (_, index) => `${index + 1} `).join("");

/** Collects the updates of each session as a client hands them out. */
export class Notebook {
  #updates = new Map();

  /** Takes the parameters of a `session/update`. */
  note = ({ sessionId, update }) => {
    const updates = this.#updates.get(sessionId) ?? [];
    this.#updates.set(sessionId, [...updates, update]);
  };

  /** All updates of a session. */
  of(sessionId) {
    return this.#updates.get(sessionId) ?? [];
  }

  /** The agent's text in a session. */
  said(sessionId) {
    return said(this.of(sessionId));
  }
}
