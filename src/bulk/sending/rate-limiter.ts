/** The longest delay that is made up for, in milliseconds. Timers fire late, and their delays would add up. */
const CATCH_UP_MS = 200;

/** Spreads rows evenly over time. */
export class RateLimiter {
  readonly #msPerRow: number;
  /** The time at which the next row may start. */
  #next: number | undefined;

  /** @param rowsPerSecond Infinity for no limit */
  constructor(rowsPerSecond: number) {
    this.#msPerRow = 1000 / rowsPerSecond;
  }

  /**
   * Reserves the next slot for some rows, and returns the milliseconds until it begins.
   *
   * @param now milliseconds of a clock that only goes forward
   */
  reserve(rows: number, now: number): number {
    const start = Math.max(this.#next ?? now, now - CATCH_UP_MS);
    this.#next = start + rows * this.#msPerRow;
    return Math.max(0, start - now);
  }
}
