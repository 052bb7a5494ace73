/** Lateness that may be made up for. Timers are late by milliseconds, which would add up; a longer pause is no reason to hurry. */
const CATCH_UP_MS = 200;

/** Spreads rows evenly over time. */
export class Pacer {
  readonly #msPerRow: number;
  /** When the next row may start. */
  #next: number | undefined;

  /** @param rowsPerSecond Infinity for no limit */
  constructor(rowsPerSecond: number) {
    this.#msPerRow = 1000 / rowsPerSecond;
  }

  /**
   * How long to wait before so many rows may start, and plans the ones after them.
   *
   * @param now milliseconds of a clock that only goes forward
   */
  take(rows: number, now: number): number {
    const start = Math.max(this.#next ?? now, now - CATCH_UP_MS);
    this.#next = start + rows * this.#msPerRow;
    return Math.max(0, start - now);
  }
}
