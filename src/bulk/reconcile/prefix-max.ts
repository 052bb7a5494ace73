import { firstIndex } from './first-index';

/** Answers a question about pairs of 32-bit integers quickly: the greatest value among the keys up to a limit. */
export class PrefixMax {
  readonly #keys: Int32Array;
  /** For each key, in ascending order, the greatest value up to it. */
  readonly #values: Int32Array;

  constructor(count: number, key: (index: number) => number, value: (index: number) => number) {
    const order = Uint32Array.from({ length: count }, (_, index) => index).sort((a, b) => key(a) - key(b));
    this.#keys = Int32Array.from(order, key);
    this.#values = Int32Array.from(order, value);
    for (let index = 1; index < count; index++)
      this.#values[index] = Math.max(this.#values[index] as number, this.#values[index - 1] as number);
  }

  /** The greatest value whose key is at most a limit; undefined without one. */
  upTo(limit: number): number | undefined {
    const end = firstIndex(this.#keys.length, (index) => (this.#keys[index] as number) > limit);
    return end === 0 ? undefined : this.#values[end - 1];
  }
}
