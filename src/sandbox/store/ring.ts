/** Above 2^53, so that a client that stores a long in a double loses a digit visibly. */
export const FIRST_ID = 9_007_199_254_740_993n;

/**
 * The last items of a sequence, at most `capacity`. Their ids count up by one. An item may be replaced or removed, but
 * is never changed. The id of a removed item is not used again.
 */
export class Ring<T> {
  readonly #capacity: number;
  /** Undefined in the place of a removed item. */
  readonly #items: (T | undefined)[] = [];
  #count = 0;
  #removed = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The number of items that were ever added. */
  get count(): number {
    return this.#count;
  }

  /** The number of items that are kept. */
  get size(): number {
    return this.#items.length - this.#removed;
  }

  /** The id of the item that is added next. */
  get nextId(): bigint {
    return FIRST_ID + BigInt(this.#count);
  }

  add(item: T): void {
    const place = this.#count % this.#capacity;
    if (place < this.#items.length && this.#items[place] === undefined) this.#removed -= 1;
    this.#items[place] = item;
    this.#count += 1;
  }

  /** Counts the ids before `next` as used, without their items. */
  skipTo(next: bigint): void {
    const count = indexOf(next);
    for (let index = Math.max(this.#count, count - this.#capacity); index < count; index += 1) {
      const place = index % this.#capacity;
      if (place >= this.#items.length || this.#items[place] !== undefined) this.#removed += 1;
      this.#items[place] = undefined;
    }
    this.#count = count;
  }

  find(id: bigint): T | undefined {
    const index = indexOf(id);
    return this.#holds(index) ? this.#items[index % this.#capacity] : undefined;
  }

  replace(id: bigint, item: T): void {
    const index = indexOf(id);
    if (this.#holds(index)) this.#items[index % this.#capacity] = item;
  }

  remove(id: bigint): void {
    if (this.find(id) === undefined) return;
    this.#items[indexOf(id) % this.#capacity] = undefined;
    this.#removed += 1;
  }

  /** The kept items, oldest first. */
  all(): T[] {
    const start = this.#count % this.#capacity;
    const items =
      this.#count <= this.#capacity ? this.#items : this.#items.slice(start).concat(this.#items.slice(0, start));
    return items.filter((item) => item !== undefined);
  }

  /** The kept items, newest first, from the item before the id. */
  *newestFirst(before = this.nextId): Generator<T> {
    const oldest = this.#count - this.#items.length;
    for (let index = Math.min(indexOf(before), this.#count) - 1; index >= oldest; index -= 1) {
      const item = this.#items[index % this.#capacity];
      if (item !== undefined) yield item;
    }
  }

  /** The last `count` items, newest first. */
  latest(count: number): T[] {
    const items: T[] = [];
    for (const item of this.newestFirst()) {
      if (items.length >= count) break;
      items.push(item);
    }
    return items;
  }

  #holds(index: number): boolean {
    return index >= 0 && index < this.#count && index >= this.#count - this.#items.length;
  }
}

function indexOf(id: bigint): number {
  return Number(id - FIRST_ID);
}
