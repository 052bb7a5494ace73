/** The last items of a sequence, at most `capacity`. Items are numbered from 0 in order of arrival. */
export class Ring<T> {
  readonly #capacity: number;
  #items: T[] = [];
  #count = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** How many items were ever added; the number of the next one. */
  get count(): number {
    return this.#count;
  }

  /** How many items are kept. */
  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#items[this.#count % this.#capacity] = item;
    this.#count += 1;
  }

  at(index: number): T | undefined {
    return this.#holds(index) ? this.#items[index % this.#capacity] : undefined;
  }

  replace(index: number, item: T): void {
    if (this.#holds(index)) this.#items[index % this.#capacity] = item;
  }

  /** The kept items, oldest first. */
  toArray(): T[] {
    const start = this.#count % this.#capacity;
    return this.#count <= this.#capacity
      ? this.#items.slice()
      : this.#items.slice(start).concat(this.#items.slice(0, start));
  }

  /** The kept items, newest first, from the one before `index`. */
  *newestFirst(index = this.#count): Generator<T> {
    const oldest = this.#count - this.#items.length;
    for (let at = Math.min(index, this.#count) - 1; at >= oldest; at -= 1) yield this.at(at) as T;
  }

  #holds(index: number): boolean {
    return index >= 0 && index < this.#count && index >= this.#count - this.#items.length;
  }
}
