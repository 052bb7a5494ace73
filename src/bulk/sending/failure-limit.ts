/** Decides when failures end the sending of rows: too many consecutive ones, or one at the very first request of a list. */
export class FailureLimit {
  readonly #most: number;
  #consecutive = 0;
  #hasSent = false;
  #reason: string | undefined;

  /** @param most the number of consecutive failures that end the sending; 0 for no limit */
  constructor(most: number) {
    this.#most = most;
  }

  /** The number of requests that failed since the last one that was sent. */
  get consecutive(): number {
    return this.#consecutive;
  }

  /** The reason why no further request may start; undefined while requests may start. */
  get reason(): string | undefined {
    return this.#reason;
  }

  countSent(): void {
    this.#consecutive = 0;
    this.#hasSent = true;
  }

  /** Counts a request that was rejected, not sent, or has an unknown outcome. @param isFirst true for the first request of a list */
  countFailure(isFirst: boolean): void {
    this.#consecutive += 1;
    if (this.#most === 0) return;
    if (isFirst && !this.#hasSent) this.#reason ??= 'the first request of the list failed, so a setting may be wrong';
    else if (this.#consecutive >= this.#most)
      this.#reason ??= this.#most === 1 ? 'a request failed' : `${this.#consecutive} consecutive requests failed`;
  }
}
