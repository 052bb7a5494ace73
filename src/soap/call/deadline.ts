/** The time by which a call must be over, or its request must have begun. */
export class Deadline {
  /** The time on the clock of `performance.now()`. */
  readonly at: number;
  /** The time on the system's clock, which goes on while the machine is suspended. */
  readonly #date: number;

  constructor(readonly withinMs: number) {
    this.at = performance.now() + withinMs;
    this.#date = Date.now() + withinMs;
  }

  /** The remaining time in milliseconds, rounded up for a timer. */
  get remainingMs(): number {
    return Math.max(Math.ceil(this.at - performance.now()), 0);
  }

  /** True when the time is over. A timer may not have fired yet: it is late when the process was stopped or the machine suspended. */
  get hasPassed(): boolean {
    return performance.now() > this.at || Date.now() > this.#date;
  }
}
