import type { RowRange } from './records';

/** A batch that is in a queue, or with a worker. */
export interface QueuedBatch {
  readonly n: number;
  readonly range: RowRange;
  /** The opening of the journal that queued the batch. */
  readonly opening: string;
}

/** Batches that were put in a queue and have no outcome yet, in few bytes each: a list may have a million of them. */
export class QueuedBatches {
  /** The first and the last row of each batch by its number; 0 or undefined for a batch that is not queued. */
  readonly #first: number[] = [];
  readonly #last: number[] = [];
  /** The openings that queued batches, each with the number of its first batch. */
  readonly #openings: { readonly opening: string; readonly first: number }[] = [];

  /** The openings that queued batches, also when all of their batches have an outcome. */
  get openings(): readonly string[] {
    return this.#openings.map(({ opening }) => opening);
  }

  /** @param batch numbered higher than all before */
  add({ n, range, opening }: QueuedBatch): void {
    if (this.#openings.at(-1)?.opening !== opening) this.#openings.push({ opening, first: n });
    [this.#first[n], this.#last[n]] = range;
  }

  /** The rows of a batch; undefined for a batch that is not in a queue. */
  rangeOf(n: number): RowRange | undefined {
    const from = this.#first[n];
    return from ? [from, this.#last[n] as number] : undefined;
  }

  delete(n: number): void {
    // An array of the numbers that are in no queue would take memory for nothing.
    if (this.#first[n]) this.#first[n] = 0;
  }

  countRows(): number {
    let count = 0;
    for (const { range } of this) count += range[1] - range[0] + 1;
    return count;
  }

  *[Symbol.iterator](): Generator<QueuedBatch> {
    let index = 0;
    for (let n = this.#openings[0]?.first ?? 1; n < this.#first.length; n++) {
      while (n >= (this.#openings[index + 1]?.first ?? Number.POSITIVE_INFINITY)) index += 1;
      const range = this.rangeOf(n);
      if (range) yield { n, range, opening: (this.#openings[index] as { opening: string }).opening };
    }
  }
}
