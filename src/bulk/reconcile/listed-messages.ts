import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { digestMessage, digestTexts, type MessageKey } from '../rows/digests';
import { receptorLikeness, textLikeness } from '../rows/likeness';
import type { Facts } from './facts';
import { IdIndex } from './id-index';

/** A listed message that is neither in the baseline nor the message of a sent row. */
export interface UnexplainedMessage {
  readonly id: bigint;
  /** Its place in the listing, counted from 0. */
  readonly place: number;
  /** Digests as those of an unknown row. */
  readonly message: bigint;
  readonly receptor: bigint;
  readonly text: bigint;
}

const UNEXPLAINED = 0;

/**
 * The messages of a listing in the order in which they are listed, and what is known about each. It needs 24 bytes a message, so that
 * a listing of any length fits. An id that is listed twice with the same content counts once.
 */
export class ListedMessages {
  /** The unexplained messages that have the receptor or the text of an unknown row. */
  readonly unexplained: UnexplainedMessage[] = [];
  readonly #facts: Facts;
  /** The sent rows in ascending order, and their ids. */
  readonly #sent: Uint32Array;
  readonly #sentIds: IdIndex;
  /** True for each sent row whose message is listed with its content, by the place in #sent. */
  readonly #isListed: Uint8Array;
  readonly #isBaselineListed: Uint8Array;
  /** For each message: its row; below zero, minus 1 and minus the place in the baseline; or UNEXPLAINED. */
  #known = new Int32Array(1024);
  #dates = new BigInt64Array(1024);
  #ids = new BigInt64Array(1024);
  #senders = new Uint32Array(1024);
  #count = 0;
  readonly #senderNumbers = new Map<string | undefined, number>();
  readonly #digests: { readonly receptors: ReadonlySet<bigint>; readonly texts: ReadonlySet<bigint> };
  /** The number of sent rows without an id, by the digest of their message: each of them explains one message. */
  readonly #withoutId = new Map<bigint, number>();

  constructor(facts: Facts) {
    const { table, rows } = facts;
    this.#facts = facts;
    this.#sent = Uint32Array.from(table.filter((row) => table.state(row) === 'sent' && table.id(row) !== 0n));
    this.#sentIds = new IdIndex(BigInt64Array.from(this.#sent, (row) => table.id(row)));
    this.#isListed = new Uint8Array(this.#sent.length);
    this.#isBaselineListed = new Uint8Array(facts.baseline?.count ?? 0);
    this.#digests = {
      receptors: new Set(rows.map(({ receptor }) => receptor)),
      texts: new Set(rows.map(({ text }) => text)),
    };
    for (const row of table.filter((each) => table.state(each) === 'sent' && table.id(each) === 0n)) {
      const message = facts.message(row);
      this.#withoutId.set(message, (this.#withoutId.get(message) ?? 0) + 1);
    }
  }

  /** The number of listed messages. */
  get count(): number {
    return this.#count;
  }

  add({ messageid: id, sender, receptor, message, date }: ApiSelect): void {
    const digest = digestMessage({ sender, receptor, message });
    const known = this.#recognize(id, digest);
    if (known === undefined) return;
    const place = this.#count++;
    this.#grow();
    this.#known[place] = known;
    this.#dates[place] = date;
    this.#ids[place] = id;
    this.#senders[place] = this.#numberOf(sender);
    if (known === UNEXPLAINED) this.#addUnexplained(id, place, digest, { receptor, message });
  }

  /** The row whose message is at a place; undefined for every other message. */
  row(place: number): number | undefined {
    const known = this.#known[place] as number;
    return known > 0 ? known : undefined;
  }

  /** The place in the baseline of the message at a place; undefined for every other message. */
  baselinePlace(place: number): number | undefined {
    const known = this.#known[place] as number;
    return known < 0 ? -1 - known : undefined;
  }

  isKnown(place: number): boolean {
    return this.#known[place] !== UNEXPLAINED;
  }

  /** The place in the journal before which the message at a place cannot have been sent; 0 for a message of the baseline. */
  intent(place: number): number {
    const row = this.row(place);
    return row === undefined ? 0 : this.#facts.table.intent(row);
  }

  /** The place in the journal from which on the message at a place is known to be sent; 0 for a message of the baseline. */
  outcome(place: number): number {
    const row = this.row(place);
    return row === undefined ? 0 : this.#facts.table.outcome(row);
  }

  date(place: number): bigint {
    return this.#dates[place] as bigint;
  }

  /** The number of the sender of the message at a place. */
  sender(place: number): number {
    return this.#senders[place] as number;
  }

  /** The number of a sender; undefined for one that no message has. */
  senderNumber(sender: string | null): number | undefined {
    return this.#senderNumbers.get(sender ?? undefined);
  }

  /** The number of different ids. */
  countIds(): number {
    const ids = this.#ids.slice(0, this.#count).sort();
    return ids.reduce((count, id, index) => count + Number(index === 0 || id !== ids[index - 1]), 0);
  }

  /** The sent rows whose messages are not listed with their content. */
  missingRows(): Uint32Array {
    return this.#sent.filter((_, index) => this.#isListed[index] === 0);
  }

  isBaselineListed(place: number): boolean {
    return this.#isBaselineListed[place] === 1;
  }

  /** Finds the row or the place in the baseline to which a message belongs; undefined when it was listed before. */
  #recognize(id: bigint, digest: bigint): number | undefined {
    const before = this.#facts.baseline?.index.find(id);
    if (before !== undefined) {
      if (this.#isBaselineListed[before] === 1) return undefined;
      this.#isBaselineListed[before] = 1;
      return -1 - before;
    }
    const index = this.#sentIds.find(id);
    if (index === undefined) return UNEXPLAINED;
    const content = this.#findContent(index, digest);
    if (content === undefined) return UNEXPLAINED;
    if (this.#isListed[content] === 1) return undefined;
    this.#isListed[content] = 1;
    return this.#sent[content] as number;
  }

  /**
   * The sent row with an id and a content, as its place in #sent. Unless ids are in order, the ids of a batch may belong to its rows in
   * any order.
   */
  #findContent(index: number, digest: bigint): number | undefined {
    const { table, idsInOrder, message } = this.#facts;
    const row = this.#sent[index] as number;
    if (message(row) === digest) return index;
    const batch = table.batch(row);
    if (idsInOrder || batch === 0) return undefined;
    const inBatch = (place: number) => place in this.#sent && table.batch(this.#sent[place] as number) === batch;
    let first = index;
    while (inBatch(first - 1)) first -= 1;
    let listed: number | undefined;
    for (let place = first; inBatch(place); place++) {
      if (message(this.#sent[place] as number) !== digest) continue;
      if (this.#isListed[place] === 0) return place;
      listed = place;
    }
    return listed;
  }

  #addUnexplained(id: bigint, place: number, message: bigint, content: Pick<MessageKey, 'receptor' | 'message'>): void {
    const receptor = digestTexts(receptorLikeness(content.receptor));
    const text = digestTexts(textLikeness(content.message));
    if (!this.#digests.receptors.has(receptor) && !this.#digests.texts.has(text)) return;
    const explains = this.#withoutId.get(message) ?? 0;
    if (explains > 0) this.#withoutId.set(message, explains - 1);
    else this.unexplained.push({ id, place, message, receptor, text });
  }

  #numberOf(sender: string | undefined): number {
    let number = this.#senderNumbers.get(sender);
    if (number === undefined) {
      number = this.#senderNumbers.size;
      this.#senderNumbers.set(sender, number);
    }
    return number;
  }

  #grow(): void {
    const length = this.#known.length;
    if (this.#count <= length) return;
    const [known, dates, ids, senders] = [this.#known, this.#dates, this.#ids, this.#senders];
    this.#known = new Int32Array(length * 2);
    this.#known.set(known);
    this.#dates = new BigInt64Array(length * 2);
    this.#dates.set(dates);
    this.#ids = new BigInt64Array(length * 2);
    this.#ids.set(ids);
    this.#senders = new Uint32Array(length * 2);
    this.#senders.set(senders);
  }
}
