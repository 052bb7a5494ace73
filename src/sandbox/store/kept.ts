/** Above 2^53, so that a client that stores a long in a double loses a digit visibly. */
export const FIRST_ID = 9_007_199_254_740_993n;

/**
 * The items with the last ids of a sequence, whose ids count up by one. An item may be replaced or removed, but is
 * never changed. The id of a removed item is not used again.
 */
export class Kept<T> {
  readonly #capacity: bigint;
  /** By id, oldest first. */
  readonly #items = new Map<bigint, T>();
  #nextId = FIRST_ID;

  /** @param capacity the number of ids whose items are kept */
  constructor(capacity: number) {
    this.#capacity = BigInt(capacity);
  }

  get size(): number {
    return this.#items.size;
  }

  /** The id of the item that is added next. */
  get nextId(): bigint {
    return this.#nextId;
  }

  add(item: T): void {
    this.#items.set(this.#nextId, item);
    this.#nextId += 1n;
    this.#items.delete(this.#nextId - 1n - this.#capacity);
  }

  /** Counts the ids before `next` as used, without their items. */
  skipTo(next: bigint): void {
    this.#nextId = next;
    for (const id of this.#items.keys()) if (id < next - this.#capacity) this.#items.delete(id);
  }

  find(id: bigint): T | undefined {
    return this.#items.get(id);
  }

  /** Replaces the item of an id, if it is kept. */
  replace(id: bigint, replacementOf: (item: T) => T): void {
    const item = this.#items.get(id);
    if (item !== undefined) this.#items.set(id, replacementOf(item));
  }

  remove(id: bigint): void {
    this.#items.delete(id);
  }

  /** Removes all items, and begins again with the first id. */
  clear(): void {
    this.#items.clear();
    this.#nextId = FIRST_ID;
  }

  /** The kept items, oldest first. */
  all(): T[] {
    return [...this.#items.values()];
  }
}
