/** Above 2^53, so that a client that stores a long in a double loses a digit visibly. */
export const FIRST_ID = 9_007_199_254_740_993n;

/**
 * The items with the last ids of a sequence, whose ids count up by one. An item may be replaced or removed, but is
 * never changed. The id of a removed item is not used again.
 */
export class Kept<T> {
  readonly #capacity: number;
  /** By their places in the sequence, oldest first. A number is a faster key than an id. */
  readonly #items = new Map<number, T>();
  #used = 0;

  /** @param capacity the number of ids whose items are kept */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The number of items that are kept. */
  get size(): number {
    return this.#items.size;
  }

  /** The number of ids that are used. */
  get used(): number {
    return this.#used;
  }

  /** The id of the item that is added next. */
  get nextId(): bigint {
    return FIRST_ID + BigInt(this.#used);
  }

  add(item: T): void {
    this.#items.set(this.#used, item);
    this.#used += 1;
    this.#items.delete(this.#used - 1 - this.#capacity);
  }

  /** Counts the ids before `next` as used, without their items. */
  skipTo(next: bigint): void {
    this.#used = placeOf(next);
    for (const place of this.#items.keys()) if (place < this.#used - this.#capacity) this.#items.delete(place);
  }

  find(id: bigint): T | undefined {
    return this.#items.get(placeOf(id));
  }

  /** Replaces the item of an id that is kept. */
  replace(id: bigint, item: T): void {
    this.#items.set(placeOf(id), item);
  }

  remove(id: bigint): void {
    this.#items.delete(placeOf(id));
  }

  /** Removes all items, and begins again with the first id. */
  clear(): void {
    this.#items.clear();
    this.#used = 0;
  }

  /** The kept items, oldest first. */
  all(): T[] {
    return [...this.#items.values()];
  }

  /** The kept items, newest first, from the item before the id. */
  *newestFirst(before = this.nextId): Generator<T> {
    const oldest = Math.max(this.#used - this.#capacity, 0);
    for (let place = Math.min(placeOf(before), this.#used) - 1; place >= oldest; place -= 1) {
      const item = this.#items.get(place);
      if (item !== undefined) yield item;
    }
  }
}

function placeOf(id: bigint): number {
  return Number(id - FIRST_ID);
}
