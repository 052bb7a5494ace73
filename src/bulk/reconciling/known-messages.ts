import type { Session } from '../session/session';

/**
 * The control: every message that is known to be sent has to be in the listing, with its row's sender, receptor and text.
 * If not, the listing is too short, or the service rewrites what it was given, and then that a message is not listed means
 * nothing. Unless ids are in order they belong to batches, so the messages of a batch are compared as a whole.
 */
export class KnownMessages {
  readonly #session: Session;
  /** The sent rows in the order of their ids, for searching. */
  readonly #order: Uint32Array;
  readonly #isListed: Uint8Array;
  /** For each batch or row, by its number: what is listed less what was sent. All zero if they are equal. */
  readonly #differences = new Map<number, bigint>();
  #listed = 0;

  constructor(session: Session) {
    this.#session = session;
    const { table } = session.ledger;
    const sent = new Uint32Array(table.counts().sent);
    let index = 0;
    for (let row = 1; row <= table.rows; row++) if (table.state(row) === 'sent') sent[index++] = row;
    const compare = (a: number, b: number) => Number(table.id(a) > table.id(b)) - Number(table.id(a) < table.id(b));
    this.#order = sent.sort(compare);
    this.#isListed = new Uint8Array(sent.length);
  }

  /** Takes a listed message; false if it is not one of these. */
  take(id: bigint, message: bigint): boolean {
    const index = this.#indexOf(id);
    if (index < 0) return false;
    if (this.#isListed[index] === 1) return true;
    this.#isListed[index] = 1;
    this.#listed += 1;
    const row = this.#order[index] as number;
    const { digests, options, ledger } = this.#session;
    const difference = message - digests.message(row);
    // A row that was found has an id of its own. Its batch is 0, and its text was equal when it was found.
    const group = options.idsInOrder ? row : ledger.table.batch(row);
    if (difference !== 0n) this.#differences.set(group, (this.#differences.get(group) ?? 0n) + difference);
    return true;
  }

  /** Why nothing can be concluded from the listing; undefined if the control holds. */
  objection(): string | undefined {
    const sent = this.#order.length;
    if (this.#listed < sent) {
      return `of ${sent} messages known to be sent ${sent - this.#listed} are not listed: list more of them`;
    }
    const different = [...this.#differences.values()].filter((difference) => difference !== 0n).length;
    if (different === 0) return undefined;
    return `the service lists other senders, receptors or texts than were sent (${different} differ)`;
  }

  /** A position in the order, or -1. */
  #indexOf(id: bigint): number {
    const { table } = this.#session.ledger;
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (table.id(this.#order[middle] as number) < id) low = middle + 1;
      else high = middle;
    }
    return low < this.#order.length && table.id(this.#order[low] as number) === id ? low : -1;
  }
}
