import type { Facts, UnknownRow } from './facts';
import type { ListedMessages, UnexplainedMessage } from './listed-messages';
import { findOrder, type Order } from './order';
import { PrefixMax } from './prefix-max';

/** A part of a listing, by the ranks of its oldest and its newest message. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * What a listing shows about rows. The age of a message is its place counted from the oldest message; it is defined when the order is
 * seen.
 */
export class Evidence {
  readonly listed: ListedMessages;
  readonly order: Order | undefined;
  /** True when the listing has more messages than the baseline, and the baseline has all messages from before the list. */
  readonly exceedsBaseline: boolean;
  readonly #facts: Facts;
  /** True when this listing and the baseline are both listings of the latest messages, or both by dates. */
  readonly #isLikeBaseline: boolean;
  /** By the place in the journal from which on a message is known: the age of the newest such message. */
  readonly #older: PrefixMax;
  readonly #olderSent: PrefixMax;
  readonly #olderBySender = new Map<number, PrefixMax>();
  readonly #olderByKind = new Map<bigint, PrefixMax>();
  /** By the place of the intent, both negative: the age of the oldest message with a later intent. */
  readonly #newer: PrefixMax;
  /** By the place of the outcome, both negative: the place of the first intent among the missing rows with a later outcome. */
  readonly #missing: PrefixMax;
  readonly #agesByKind = new Map<bigint, number[]>();
  readonly #unexplained: ReadonlyMap<bigint, readonly UnexplainedMessage[]>;
  /** The places in the baseline that are not listed: the first and the last one. */
  readonly #baselineGap: { readonly first: number; readonly last: number } | undefined;

  constructor(facts: Facts, listed: ListedMessages, isPage: boolean) {
    this.listed = listed;
    this.#facts = facts;
    const { baseline } = facts;
    this.order = findOrder(listed);
    this.exceedsBaseline = baseline !== undefined && !baseline.isFull && listed.countIds() > baseline.count;
    this.#isLikeBaseline = baseline?.isPage === isPage;
    const ages = this.#knownAges();
    this.#older = this.#byOutcome(ages);
    this.#olderSent = this.#byOutcome(ages.filter((age) => listed.row(this.placeAt(age)) !== undefined));
    this.#newer = new PrefixMax(
      ages.length,
      (index) => -listed.intent(this.placeAt(ages[index] as number)),
      (index) => -(ages[index] as number),
    );
    this.#indexSendersAndKinds(ages);
    const missing = listed.missingRows();
    this.#missing = new PrefixMax(
      missing.length,
      (index) => -facts.table.outcome(missing[index] as number),
      (index) => -facts.table.intent(missing[index] as number),
    );
    this.#unexplained = groupByContent(listed.unexplained);
    this.#baselineGap = findGap(facts, listed);
  }

  /** The place in the listing of the message that has an age. */
  placeAt(age: number): number {
    return this.order?.isNewestFirst ? this.listed.count - 1 - age : age;
  }

  rankAt(age: number): number {
    return this.order?.rank(this.placeAt(age)) ?? age;
  }

  /** The age of the newest listed message that is older than a row. */
  newestOlder({ firstIntent }: UnknownRow): number | undefined {
    return this.#older.upTo(firstIntent - 1);
  }

  /**
   * True when an older message shows that all newer ones were sent since the list began. A message of the baseline shows it when the
   * baseline had the newest messages of its time: a page that was full may have had the oldest ones, and dates may end before the list.
   */
  hasStart({ firstIntent }: UnknownRow): boolean {
    const { baseline } = this.#facts;
    const hadNewest = baseline?.isPage === true && (!baseline.isFull || this.order?.isNewestFirst === true);
    return (hadNewest ? this.#older : this.#olderSent).upTo(firstIntent - 1) !== undefined;
  }

  /** The age of the newest listed message of the row's sender that is older than the row. */
  newestOlderOfSender({ sender, firstIntent }: UnknownRow): number | undefined {
    const number = this.listed.senderNumber(sender);
    return number === undefined ? undefined : this.#olderBySender.get(number)?.upTo(firstIntent - 1);
  }

  /** The same among the sent rows with the row's sender, date and mode. */
  newestOlderOfKind({ kind, firstIntent }: UnknownRow): number | undefined {
    return this.#olderByKind.get(kind)?.upTo(firstIntent - 1);
  }

  /** The age of the oldest listed message that is newer than a row. */
  oldestNewer({ settled }: UnknownRow): number | undefined {
    const age = this.#newer.upTo(-settled - 1);
    return age === undefined ? undefined : -age;
  }

  /** True when a sent row with the row's sender, date and mode is listed in a span. */
  hasKind({ kind }: UnknownRow, { from, to }: Span): boolean {
    const ages = this.#agesByKind.get(kind) ?? [];
    let [low, high] = [0, ages.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.rankAt(ages[middle] as number) < from) low = middle + 1;
      else high = middle;
    }
    return low < ages.length && this.rankAt(ages[low] as number) <= to;
  }

  /**
   * True when a known message that came between two messages is not listed with its content.
   *
   * @param older the age of the older message; undefined for the beginning of the listing
   * @param newer the age of the newer message; undefined for the end of the listing
   */
  lacksMessages(older: number | undefined, newer: number | undefined): boolean {
    const { listed } = this;
    const since = older === undefined ? 0 : listed.intent(this.placeAt(older));
    const until = newer === undefined ? Number.POSITIVE_INFINITY : listed.outcome(this.placeAt(newer));
    const firstIntent = this.#missing.upTo(-since);
    if (firstIntent !== undefined && -firstIntent <= until) return true;
    const place = older === undefined ? 0 : listed.baselinePlace(this.placeAt(older));
    return place !== undefined && this.#lacksBaseline(place);
  }

  /** The unexplained messages with a content: a digest of sender, receptor and text, of a receptor, or of a text. */
  unexplained(digest: bigint): readonly UnexplainedMessage[] {
    return this.#unexplained.get(digest) ?? [];
  }

  /** True when a message of the baseline that is newer than the one at a place is not listed. */
  #lacksBaseline(place: number): boolean {
    if (this.#baselineGap === undefined) return false;
    // A listing of another way may have another order.
    if (!this.#isLikeBaseline || this.order === undefined || this.order.hasTies) return true;
    return this.order.isNewestFirst ? this.#baselineGap.first < place : this.#baselineGap.last > place;
  }

  #knownAges(): Uint32Array {
    const { listed } = this;
    return Uint32Array.from({ length: listed.count }, (_, age) => age).filter((age) =>
      listed.isKnown(this.placeAt(age)),
    );
  }

  #byOutcome(ages: ArrayLike<number>): PrefixMax {
    const age = (index: number) => ages[index] as number;
    return new PrefixMax(ages.length, (index) => this.listed.outcome(this.placeAt(age(index))), age);
  }

  #indexSendersAndKinds(ages: Uint32Array): void {
    const { listed } = this;
    const bySender = new Map<number, number[]>();
    for (const { kind, sender } of this.#facts.rows) {
      this.#agesByKind.set(kind, []);
      bySender.set(listed.senderNumber(sender) ?? -1, []);
    }
    for (const age of ages) {
      const place = this.placeAt(age);
      const row = listed.row(place);
      if (row !== undefined) this.#agesByKind.get(this.#facts.kind(row))?.push(age);
      bySender.get(listed.sender(place))?.push(age);
    }
    for (const [sender, found] of bySender) this.#olderBySender.set(sender, this.#byOutcome(found));
    for (const [kind, found] of this.#agesByKind) this.#olderByKind.set(kind, this.#byOutcome(found));
  }
}

function groupByContent(messages: readonly UnexplainedMessage[]): Map<bigint, UnexplainedMessage[]> {
  const groups = new Map<bigint, UnexplainedMessage[]>();
  for (const each of messages) {
    for (const digest of [each.message, each.receptor, each.text]) {
      const group = groups.get(digest);
      if (group) group.push(each);
      else groups.set(digest, [each]);
    }
  }
  return groups;
}

function findGap({ baseline }: Facts, listed: ListedMessages): { first: number; last: number } | undefined {
  let gap: { first: number; last: number } | undefined;
  for (let place = 0; place < (baseline?.count ?? 0); place++) {
    if (!listed.isBaselineListed(place)) gap = { first: gap?.first ?? place, last: place };
  }
  return gap;
}
