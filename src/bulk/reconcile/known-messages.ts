import type { OpenList } from '../state/bulk-journal';

/**
 * The control: the listing must have every message that is known to be sent, with its row's sender, receptor and text. Otherwise
 * the listing is too short, or the service changes the messages, and then the absence of a message proves nothing. Unless ids are
 * in order they belong to batches, so the messages of a batch are compared as a whole.
 */
export class KnownMessages {
  readonly #list: OpenList;
  /** The sent rows in the order of their ids, for searching. */
  readonly #order: Uint32Array;
  readonly #isListed: Uint8Array;
  /** For each batch or row, by its number: the sum of the listed digests minus those of the sent messages; 0 if they are equal. */
  readonly #differences = new Map<number, bigint>();
  #listed = 0;

  constructor(list: OpenList) {
    this.#list = list;
    const { table } = list.journal.state;
    const compare = (a: number, b: number) => Number(table.id(a) > table.id(b)) - Number(table.id(a) < table.id(b));
    this.#order = Uint32Array.from(table.filter((row) => table.state(row) === 'sent')).sort(compare);
    this.#isListed = new Uint8Array(this.#order.length);
  }

  /** Marks a listed message as listed; false if it is not known. */
  mark(id: bigint, message: bigint): boolean {
    const index = this.#indexOf(id);
    if (index < 0) return false;
    if (this.#isListed[index] === 1) return true;
    this.#isListed[index] = 1;
    this.#listed += 1;
    const row = this.#order[index] as number;
    const { rows, plan, journal } = this.#list;
    const difference = message - rows.digests.message(row);
    // A row that was found has an id of its own. Its batch is 0, and its text was equal when it was found.
    const group = plan.idsInOrder ? row : journal.state.table.batch(row);
    if (difference !== 0n) this.#differences.set(group, (this.#differences.get(group) ?? 0n) + difference);
    return true;
  }

  /** The reason why nothing can be concluded from the listing; undefined if the control holds. */
  objection(): string | undefined {
    const sent = this.#order.length;
    if (this.#listed < sent) {
      return `of ${sent} messages known to be sent ${sent - this.#listed} are not listed: list more of them`;
    }
    const different = [...this.#differences.values()].filter((difference) => difference !== 0n).length;
    if (different === 0) return undefined;
    return `the service lists other senders, receptors or texts than were sent (${different} differ)`;
  }

  /** Finds the position of an id in the order; -1 for another id. */
  #indexOf(id: bigint): number {
    const { table } = this.#list.journal.state;
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (table.id(this.#order[middle] as number) < id) low = middle + 1;
      else high = middle;
    }
    return low < this.#order.length && table.id(this.#order[low] as number) === id ? low : -1;
  }
}
