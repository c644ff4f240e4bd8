// Notices when a wait takes too long. Costs one clock reading per wait, as its timer is reused.

/** Longest time that `setTimeout` takes. */
const MAX_TIMER_MS = 2_147_483_647;

/** Calls `onIdle` once a wait has lasted `idleMs`. */
export class IdleWatch {
  readonly #idleMs: number;
  readonly #onIdle: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #since: number | undefined;

  constructor(idleMs: number, onIdle: () => void) {
    this.#idleMs = Math.min(idleMs, MAX_TIMER_MS);
    this.#onIdle = onIdle;
  }

  /** Starts a wait, or restarts the current one. */
  begin(): void {
    if (this.#idleMs <= 0) return;
    this.#since = performance.now();
    this.#timer ??= setTimeout(this.#onTimer, this.#idleMs);
  }

  /** Ends the wait. The timer stays, as another wait usually follows. */
  end(): void {
    this.#since = undefined;
  }

  /** Ends the wait and clears the timer. */
  stop(): void {
    this.end();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    if (this.#since === undefined) return;
    const left = this.#since + this.#idleMs - performance.now();
    if (left > 0) this.#timer = setTimeout(this.#onTimer, left);
    else this.#onIdle();
  };
}
