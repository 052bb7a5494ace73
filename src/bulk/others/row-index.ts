/** The greatest number of buckets, as a power of 2. */
const MAX_BUCKET_BITS = 22;

/**
 * Finds rows by a digest. It takes 8 bytes a row: a list may have millions of rows, for which a Map would take a
 * hundred bytes each.
 */
export class RowIndex {
  readonly #keyOf: (row: number) => bigint;
  readonly #shift: bigint;
  /** The place of the first row of each bucket. */
  readonly #starts: Uint32Array;
  readonly #rows: Uint32Array;

  /**
   * @param rows lists the rows in the order in which they are found; it is called several times
   * @param keyOf the digest of a row
   * @param bits the number of bits of a digest
   */
  constructor(rows: () => Iterable<number>, keyOf: (row: number) => bigint, bits: number) {
    let count = 0;
    for (const _ of rows()) count += 1;
    const bucketBits = Math.min(MAX_BUCKET_BITS, Math.ceil(Math.log2(count + 1)));
    this.#keyOf = keyOf;
    this.#shift = BigInt(bits - bucketBits);
    this.#starts = new Uint32Array(2 ** bucketBits + 1);
    this.#rows = new Uint32Array(count);
    for (const row of rows()) this.#add(this.#bucketOf(keyOf(row)) + 1, 1);
    for (let bucket = 1; bucket < this.#starts.length; bucket++) this.#add(bucket, this.#starts[bucket - 1] as number);
    const places = this.#starts.slice();
    for (const row of rows()) {
      const bucket = this.#bucketOf(keyOf(row));
      this.#rows[places[bucket] as number] = row;
      places[bucket] = (places[bucket] as number) + 1;
    }
  }

  /** Lists the rows with a digest. */
  *find(key: bigint): Generator<number, void> {
    const bucket = this.#bucketOf(key);
    for (let place = this.#starts[bucket] as number; place < (this.#starts[bucket + 1] as number); place++) {
      const row = this.#rows[place] as number;
      if (this.#keyOf(row) === key) yield row;
    }
  }

  /** The first row with a digest; undefined when no row has it. */
  first(key: bigint): number | undefined {
    return this.find(key).next().value ?? undefined;
  }

  #bucketOf(key: bigint): number {
    return Number(key >> this.#shift);
  }

  #add(bucket: number, count: number): void {
    this.#starts[bucket] = (this.#starts[bucket] as number) + count;
  }
}
