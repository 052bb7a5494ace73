import type { RowRange } from './records';

/** A batch that is in a queue, or with a worker. */
export interface QueuedBatch {
  readonly n: number;
  readonly rows: RowRange;
  /** The opening of the journal that put it there. */
  readonly run: string;
}

/** Batches that were put in a queue and have no outcome yet, in 8 bytes for each batch of the journal. */
export class QueuedBatches {
  /** First and last row of each batch by its number; zeros for a batch that is not queued. */
  #rows = new Uint32Array(256);
  /** The openings that queued batches, each with the number of its first one. */
  readonly #runs: { readonly run: string; readonly first: number }[] = [];
  #last = 0;

  /** The openings that put batches in a queue, also those whose batches all have an outcome. */
  get runs(): readonly string[] {
    return this.#runs.map(({ run }) => run);
  }

  /** @param batch numbered higher than all before */
  add({ n, rows, run }: QueuedBatch): void {
    if (this.#runs.at(-1)?.run !== run) this.#runs.push({ run, first: n });
    while (this.#rows.length < 2 * n + 2) {
      const larger = new Uint32Array(this.#rows.length * 2);
      larger.set(this.#rows);
      this.#rows = larger;
    }
    this.#rows.set(rows, 2 * n);
    this.#last = n;
  }

  /** The rows of a batch, or undefined if it is not in a queue. */
  rowsOf(n: number): RowRange | undefined {
    const from = this.#rows[2 * n];
    return from ? [from, this.#rows[2 * n + 1] as number] : undefined;
  }

  delete(n: number): void {
    this.#rows.fill(0, 2 * n, 2 * n + 2);
  }

  /** How many rows they have. */
  countRows(): number {
    let count = 0;
    for (const { rows } of this) count += rows[1] - rows[0] + 1;
    return count;
  }

  *[Symbol.iterator](): Generator<QueuedBatch> {
    let index = 0;
    for (let n = this.#runs[0]?.first ?? 1; n <= this.#last; n++) {
      while (n >= (this.#runs[index + 1]?.first ?? Number.POSITIVE_INFINITY)) index += 1;
      const rows = this.rowsOf(n);
      if (rows) yield { n, rows, run: (this.#runs[index] as { run: string }).run };
    }
  }
}
