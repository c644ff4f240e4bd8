// Messages that were sent from this tab, for the arrow keys.

/** Messages that are remembered. */
const LENGTH = 100;

export class History {
  #entries: string[] = [];
  #at: number | undefined;

  add(text: string): void {
    if (text === "") return;
    this.#entries = [...this.#entries.filter((entry) => entry !== text), text].slice(-LENGTH);
    this.#at = undefined;
  }

  /** Returns true if the text is an entry that was brought back and not changed since then. */
  isBrowsing(text: string): boolean {
    return this.#at !== undefined && this.#entries[this.#at] === text;
  }

  earlier(text: string): string | undefined {
    const from = this.isBrowsing(text) ? (this.#at ?? 0) : this.#entries.length;
    if (from === 0) return undefined;
    this.#at = from - 1;
    return this.#entries[this.#at];
  }

  /** Returns the next newer entry, or the empty text after the newest. */
  later(): string {
    this.#at = (this.#at ?? this.#entries.length) + 1;
    const entry = this.#entries[this.#at];
    if (entry === undefined) this.#at = undefined;
    return entry ?? "";
  }
}
