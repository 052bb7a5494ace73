import { addToGroup } from '../../internal/groups';
import type { Facts, UnknownRow } from './facts';
import { firstIndex } from './first-index';
import type { ListedMessages, UnexplainedMessage } from './listed-messages';
import { findOrder, type Order } from './order';
import { PrefixMax } from './prefix-max';

/** A part of a listing, by the ranks of its oldest and its newest message. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Answers what a listing shows about rows. The age of a message is its place counted from the oldest message; it is defined when the order is
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
  /** The place in the journal from which on the first sent row that is listed is known. */
  readonly #firstOutcome: number;
  readonly #olderBySender = new Map<number, PrefixMax>();
  readonly #olderByKind = new Map<bigint, PrefixMax>();
  /** By the place of the intent, both negative: the age of the oldest message with a later intent. */
  readonly #newer: PrefixMax;
  /** By the place of the outcome, both negative: the place of the first intent among the missing rows with a later outcome. */
  readonly #missing: PrefixMax;
  #agesByKind: ReadonlyMap<bigint, Uint32Array> = new Map();
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
    this.#firstOutcome = ages.reduce(
      (first, age) => Math.min(first, this.#outcomeOfRow(age)),
      Number.POSITIVE_INFINITY,
    );
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
    return this.#firstOutcome < firstIntent || (hadNewest && this.#older.upTo(firstIntent - 1) !== undefined);
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
    const ages = this.#agesByKind.get(kind) ?? new Uint32Array();
    const first = firstIndex(ages.length, (index) => this.rankAt(ages[index] as number) >= from);
    return first < ages.length && this.rankAt(ages[first] as number) <= to;
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

  #outcomeOfRow(age: number): number {
    const place = this.placeAt(age);
    return this.listed.row(place) === undefined ? Number.POSITIVE_INFINITY : this.listed.outcome(place);
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
    const { rows, kind } = this.#facts;
    const senders = new Set(rows.map(({ sender }) => listed.senderNumber(sender)));
    const bySender = groupAges(ages, senders, (age) => listed.sender(this.placeAt(age)));
    for (const [sender, group] of bySender) this.#olderBySender.set(sender, this.#byOutcome(group));
    const kinds = new Set(rows.map((row) => row.kind));
    this.#agesByKind = groupAges(ages, kinds, (age) => {
      const row = listed.row(this.placeAt(age));
      return row === undefined ? undefined : kind(row);
    });
    for (const [of, group] of this.#agesByKind) this.#olderByKind.set(of, this.#byOutcome(group));
  }
}

/** The ages of the messages that have a key, by the key. */
function groupAges<K>(
  ages: Uint32Array,
  keys: ReadonlySet<K | undefined>,
  keyOf: (age: number) => K | undefined,
): Map<K, Uint32Array> {
  const counts = new Map<K, number>();
  for (const age of ages) {
    const key = keyOf(age);
    if (key !== undefined && keys.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const groups = new Map([...counts].map(([key, count]) => [key, new Uint32Array(count)]));
  const ends = new Map<K, number>();
  for (const age of ages) {
    const key = keyOf(age);
    const group = key === undefined ? undefined : groups.get(key);
    if (key === undefined || group === undefined) continue;
    const end = ends.get(key) ?? 0;
    group[end] = age;
    ends.set(key, end + 1);
  }
  return groups;
}

function groupByContent(messages: readonly UnexplainedMessage[]): Map<bigint, UnexplainedMessage[]> {
  const groups = new Map<bigint, UnexplainedMessage[]>();
  for (const each of messages) {
    for (const digest of [each.message, each.receptor, each.text]) addToGroup(groups, digest, each);
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
