/** How far a late start may be caught up, in milliseconds: timers are late by some, which would add up. A longer pause is not. */
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
   * Plans the start of this many rows, and gives how long to wait for it, in milliseconds.
   *
   * @param now milliseconds of a clock that only goes forward
   */
  take(rows: number, now: number): number {
    const start = Math.max(this.#next ?? now, now - CATCH_UP_MS);
    this.#next = start + rows * this.#msPerRow;
    return Math.max(0, start - now);
  }
}
