/** A set of 64-bit ids. It needs 12 to 24 bytes an id; a Set of bigints needs 45, and holds 16.7 million at most. */
export class IdSet {
  /** The slots of a hash table. 0 marks a free slot. */
  #slots = new BigInt64Array(64);
  #used = 0;
  /** True when the id 0 is in the set. */
  #hasZero = false;

  get size(): number {
    return this.#used + Number(this.#hasZero);
  }

  has(id: bigint): boolean {
    return id === 0n ? this.#hasZero : this.#slots[this.#slotOf(id)] === id;
  }

  add(id: bigint): void {
    if (id === 0n) this.#hasZero = true;
    if (id === 0n || this.has(id)) return;
    if (this.#used * 3 >= this.#slots.length * 2) this.#grow();
    this.#slots[this.#slotOf(id)] = id;
    this.#used += 1;
  }

  *[Symbol.iterator](): IterableIterator<bigint> {
    if (this.#hasZero) yield 0n;
    for (const id of this.#slots) if (id !== 0n) yield id;
  }

  /** The slot that holds the id, or the free slot where it belongs. */
  #slotOf(id: bigint): number {
    const mask = this.#slots.length - 1;
    let slot = hash(id) & mask;
    while (this.#slots[slot] !== 0n && this.#slots[slot] !== id) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const ids = this.#slots;
    this.#slots = new BigInt64Array(ids.length * 2);
    for (const id of ids) if (id !== 0n) this.#slots[this.#slotOf(id)] = id;
  }
}

const value = new BigInt64Array(1);
const halves = new Uint32Array(value.buffer);

/** Mixes the bits of an id. Services count ids up, so neighbours must not fill neighbouring slots in long rows. */
function hash(id: bigint): number {
  value[0] = id;
  let bits = Math.imul((halves[0] as number) ^ Math.imul(halves[1] as number, 0x9e3779b1), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 15), 0xc2b2ae35);
  return bits ^ (bits >>> 13);
}
