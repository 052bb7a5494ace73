/** Above 2^53, so that a client that stores a long in a double loses a digit visibly. */
export const FIRST_ID = 9_007_199_254_740_993n;

/**
 * The items with the last ids of a sequence, whose ids count up by one. An item may be replaced or removed, but is
 * never changed. The id of a removed item is not used again.
 */
export class Kept<T> {
  /** By the place in the sequence, oldest first. A Map finds a number much faster than a bigint. */
  #items = new Map<number, T>();
  #isOrdered = true;
  /** The number of ids that were used. */
  #used = 0;

  /** @param capacity the number of ids whose items are kept */
  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.#items.size;
  }

  /** The id of the item that is added next. */
  get nextId(): bigint {
    return FIRST_ID + BigInt(this.#used);
  }

  add(item: T): void {
    this.#items.set(this.#used, item);
    this.#items.delete(this.#used - this.capacity);
    this.#used += 1;
  }

  /** Counts the ids before `next` as used, without their items. */
  skipTo(next: bigint): void {
    this.#used = placeOf(next);
    for (const place of this.#items.keys()) if (place < this.#used - this.capacity) this.#items.delete(place);
  }

  find(id: bigint): T | undefined {
    return this.#items.get(placeOf(id));
  }

  /** Replaces the item of an id, if it is kept. */
  replace(id: bigint, replacementOf: (item: T) => T): void {
    const item = this.find(id);
    if (item !== undefined) this.#items.set(placeOf(id), replacementOf(item));
  }

  remove(id: bigint): void {
    this.#items.delete(placeOf(id));
  }

  /** Puts back the item of an id, also in place of a later version. Items that would have been dropped stay away. */
  restore(id: bigint, item: T): void {
    const place = placeOf(id);
    if (place < this.#used - this.capacity || place >= this.#used) return;
    // A Map keeps the order of insertion.
    this.#isOrdered &&= this.#items.has(place);
    this.#items.set(place, item);
  }

  /** Removes all items, and begins again with the first id. */
  clear(): void {
    this.#items.clear();
    this.#used = 0;
  }

  /** The kept items, oldest first. */
  all(): T[] {
    if (!this.#isOrdered) this.#items = new Map([...this.#items].sort(([one], [other]) => one - other));
    this.#isOrdered = true;
    return [...this.#items.values()];
  }
}

/** Inexact for an id that is far from every kept one. */
function placeOf(id: bigint): number {
  return Number(id - FIRST_ID);
}
