import { firstIndex } from './first-index';

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
    const index = firstIndex(this.#order.length, (each) => this.#idAt(each) >= id);
    return index < this.#order.length && this.#idAt(index) === id ? this.#order[index] : undefined;
  }

  #idAt(index: number): bigint {
    return this.#ids[this.#order[index] as number] as bigint;
  }
}
