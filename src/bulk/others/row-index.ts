/** The number of bits of a digest. */
const KEY_BITS = 64;
/** The greatest number of buckets, as a power of 2. */
const MAX_BUCKET_BITS = 22;

/** Rows in the order of their buckets. The beginning of a digest is the number of its bucket. */
interface Buckets {
  /** The number of bits of a digest that are not part of the number. */
  readonly shift: bigint;
  /** The place of the first row of each bucket. */
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

/**
 * Finds rows by a digest. It takes 8 bytes a row: a list may have millions of rows, for which a Map would take a
 * hundred bytes each. Before it is asked for the first time, it takes nothing.
 */
export class RowIndex {
  readonly #listRows: () => Uint32Array;
  readonly #keyOf: (row: number) => bigint;
  #buckets: Buckets | undefined;

  /**
   * @param listRows lists the rows in the order in which they are found
   * @param keyOf the digest of a row
   */
  constructor(listRows: () => Uint32Array, keyOf: (row: number) => bigint) {
    this.#listRows = listRows;
    this.#keyOf = keyOf;
  }

  /** Lists the rows with a digest. */
  *find(key: bigint): Generator<number, void> {
    this.#buckets ??= this.#fillBuckets();
    const { shift, starts, rows } = this.#buckets;
    const bucket = Number(key >> shift);
    for (let place = starts[bucket] as number; place < (starts[bucket + 1] as number); place++) {
      const row = rows[place] as number;
      if (this.#keyOf(row) === key) yield row;
    }
  }

  /** The first row with a digest; undefined when no row has it. */
  first(key: bigint): number | undefined {
    return this.find(key).next().value ?? undefined;
  }

  #fillBuckets(): Buckets {
    const given = this.#listRows();
    const bucketBits = Math.min(MAX_BUCKET_BITS, Math.ceil(Math.log2(given.length + 1)));
    const shift = BigInt(KEY_BITS - bucketBits);
    const bucketOf = (row: number) => Number(this.#keyOf(row) >> shift);
    const starts = new Uint32Array(2 ** bucketBits + 1);
    const add = (bucket: number, count: number) => {
      starts[bucket] = (starts[bucket] as number) + count;
    };
    for (const row of given) add(bucketOf(row) + 1, 1);
    for (let bucket = 1; bucket < starts.length; bucket++) add(bucket, starts[bucket - 1] as number);
    const places = starts.slice();
    const rows = new Uint32Array(given.length);
    for (const row of given) {
      const bucket = bucketOf(row);
      rows[places[bucket] as number] = row;
      places[bucket] = (places[bucket] as number) + 1;
    }
    return { shift, starts, rows };
  }
}
