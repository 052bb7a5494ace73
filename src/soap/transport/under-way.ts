/** The requests under way, for a close that waits for them. */
export class UnderWay<T> {
  readonly #requests = new Set<T>();
  #onNone: (() => void) | undefined;

  add(request: T): void {
    this.#requests.add(request);
  }

  /** Once it has ended or was given up. */
  delete(request: T): void {
    this.#requests.delete(request);
    if (this.#requests.size === 0) this.#onNone?.();
  }

  async none(): Promise<void> {
    if (this.#requests.size > 0) await new Promise<void>((resolve) => (this.#onNone = resolve));
  }
}
