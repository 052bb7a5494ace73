/** Finds the place of an id in a list of ids. It needs 12 bytes an id. */
export class IdIndex {
  readonly #ids: BigInt64Array;
  /** The places in the order of their ids. */
  readonly #order: Uint32Array;

  constructor(ids: BigInt64Array) {
    this.#ids = ids;
    const compare = (a: number, b: number) => {
      const [first, second] = [ids[a] as bigint, ids[b] as bigint];
      return first < second ? -1 : Number(first > second);
    };
    this.#order = Uint32Array.from(ids, (_, place) => place).sort(compare);
  }

  /** The place of an id, counted from 0; undefined for an id that is not in the list. */
  find(id: bigint): number | undefined {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#idAt(middle) < id) low = middle + 1;
      else high = middle;
    }
    return low < this.#order.length && this.#idAt(low) === id ? this.#order[low] : undefined;
  }

  #idAt(index: number): bigint {
    return this.#ids[this.#order[index] as number] as bigint;
  }
}
