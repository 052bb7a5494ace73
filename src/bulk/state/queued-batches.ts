import type { RowRange } from './records';

/** A batch that is in a queue, or with a worker. */
export interface QueuedBatch {
  readonly n: number;
  readonly range: RowRange;
  /** The opening of the journal that queued the batch. */
  readonly opening: string;
}

/** Batches that were put in a queue and have no outcome yet, in 8 bytes for each batch of the journal. */
export class QueuedBatches {
  /** The first and the last row of each batch by its number; zeros for a batch that is not queued. */
  #ranges = new Uint32Array(256);
  /** The openings that queued batches, each with the number of its first batch. */
  readonly #openings: { readonly opening: string; readonly first: number }[] = [];
  #last = 0;

  /** The openings that queued batches, also when all of their batches have an outcome. */
  get openings(): readonly string[] {
    return this.#openings.map(({ opening }) => opening);
  }

  /** @param batch numbered higher than all before */
  add({ n, range, opening }: QueuedBatch): void {
    if (this.#openings.at(-1)?.opening !== opening) this.#openings.push({ opening, first: n });
    while (this.#ranges.length < 2 * n + 2) {
      const larger = new Uint32Array(this.#ranges.length * 2);
      larger.set(this.#ranges);
      this.#ranges = larger;
    }
    this.#ranges.set(range, 2 * n);
    this.#last = n;
  }

  /** The rows of a batch; undefined for a batch that is not in a queue. */
  rangeOf(n: number): RowRange | undefined {
    const from = this.#ranges[2 * n];
    return from ? [from, this.#ranges[2 * n + 1] as number] : undefined;
  }

  delete(n: number): void {
    this.#ranges.fill(0, 2 * n, 2 * n + 2);
  }

  countRows(): number {
    let count = 0;
    for (const { range } of this) count += range[1] - range[0] + 1;
    return count;
  }

  *[Symbol.iterator](): Generator<QueuedBatch> {
    let index = 0;
    for (let n = this.#openings[0]?.first ?? 1; n <= this.#last; n++) {
      while (n >= (this.#openings[index + 1]?.first ?? Number.POSITIVE_INFINITY)) index += 1;
      const range = this.rangeOf(n);
      if (range) yield { n, range, opening: (this.#openings[index] as { opening: string }).opening };
    }
  }
}
