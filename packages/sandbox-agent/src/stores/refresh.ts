// Reads again when something has changed, one request at a time.

/** Runs a request again and again, one at a time, while something asks for it. Failures show themselves on the stream. */
export class Refresh {
  readonly #run: () => Promise<unknown>;
  #state: "idle" | "running" | "runAgain" = "idle";

  constructor(run: () => Promise<unknown>) {
    this.#run = run;
  }

  request(): void {
    if (this.#state === "idle") void this.#loop();
    else this.#state = "runAgain";
  }

  async #loop(): Promise<void> {
    do {
      this.#state = "running";
      await this.#run().catch(() => {});
    } while (this.#isWanted());
    this.#state = "idle";
  }

  #isWanted(): boolean {
    return this.#state === "runAgain";
  }
}
