/**
 * Counts the requests under way, for a close that waits for them. A count and no set: V8 chains a set's outgrown tables, and
 * what was in them would outlive its call by a garbage collection.
 */
export class UnderWay {
  #count = 0;
  #onNone: (() => void) | undefined;

  start(): void {
    this.#count++;
  }

  /** To be called once for each start, when the request has ended or was given up. */
  end(): void {
    this.#count--;
    if (this.#count === 0) this.#onNone?.();
  }

  async none(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => (this.#onNone = resolve));
  }
}
