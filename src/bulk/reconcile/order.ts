import type { ListedMessages } from './listed-messages';

/** Chance alone would put six blocks in this order or in its reverse in 2 of 720 cases, which is fewer than 1 of 100. */
const ENOUGH_BLOCKS = 6;

/** The order of a listing by time. */
export interface Order {
  readonly isNewestFirst: boolean;
  /** The greatest rank. */
  readonly top: number;
  /** True when messages of the same date have the same rank, because nothing shows their order within the date. */
  readonly hasTies: boolean;
  /** The rank of the message at a place of the listing. The oldest message has rank 0. */
  rank(place: number): number;
}

/**
 * Finds the order of a listing; undefined unless it is seen. It is seen when it agrees with what the journal knows about the order of
 * known messages, or with the reverse of that, and when enough blocks of messages show it. One message came before another when the
 * outcome of the first was written before the intent of the second. Dates that go one way through the whole listing are evidence too.
 */
export function findOrder(listed: ListedMessages): Order | undefined {
  for (const isNewestFirst of [true, false]) {
    const placeAt = (age: number) => (isNewestFirst ? listed.count - 1 - age : age);
    if (!agreesWithJournal(listed, placeAt)) continue;
    const dates = countDates(listed, placeAt);
    if (countBlocks(listed, placeAt) < ENOUGH_BLOCKS && (dates ?? 0) < ENOUGH_BLOCKS) continue;
    const hasTies = dates !== undefined && dates < listed.count && !isSeenWithinDates(listed, placeAt);
    const ranks = hasTies ? rankDates(listed, placeAt) : undefined;
    return {
      isNewestFirst,
      hasTies,
      top: (ranks ? (dates as number) : listed.count) - 1,
      // The age of a place is found like the place of an age.
      rank: (place) => (ranks ? (ranks[place] as number) : placeAt(place)),
    };
  }
  return undefined;
}

/** The place in the listing of the message that has an age, counted from the oldest message. */
type PlaceAt = (age: number) => number;

/** True when no message is listed before one that the journal knows to be older. */
function agreesWithJournal(listed: ListedMessages, placeAt: PlaceAt): boolean {
  let newestIntent = 0;
  for (let age = 0; age < listed.count; age++) {
    const place = placeAt(age);
    if (!listed.isKnown(place)) continue;
    if (listed.outcome(place) < newestIntent) return false;
    newestIntent = Math.max(newestIntent, listed.intent(place));
  }
  return true;
}

/** The length of a chain of known messages, each of which came before the next one as far as the journal knows. */
function countBlocks(listed: ListedMessages, placeAt: PlaceAt, from = 0, to = listed.count): number {
  let blocks = 0;
  let last = -1;
  for (let age = from; age < to; age++) {
    const place = placeAt(age);
    if (!listed.isKnown(place) || listed.intent(place) <= last) continue;
    blocks += 1;
    last = listed.outcome(place);
  }
  return blocks;
}

/** The number of different dates; undefined when the dates do not go one way through the listing. */
function countDates(listed: ListedMessages, placeAt: PlaceAt): number | undefined {
  let dates = 0;
  for (let age = 0; age < listed.count; age++) {
    const [before, date] = [age === 0 ? undefined : listed.date(placeAt(age - 1)), listed.date(placeAt(age))];
    if (before !== undefined && date < before) return undefined;
    if (date !== before) dates += 1;
  }
  return dates;
}

/** True when the blocks within dates show the order there: chance would do this in fewer than 1 of 100 cases. */
function isSeenWithinDates(listed: ListedMessages, placeAt: PlaceAt): boolean {
  let orders = 1;
  for (let from = 0; from < listed.count; ) {
    let to = from + 1;
    while (to < listed.count && listed.date(placeAt(to)) === listed.date(placeAt(from))) to += 1;
    for (let block = countBlocks(listed, placeAt, from, to); block > 1; block--) orders *= block;
    from = to;
  }
  return orders > 100;
}

/** The rank of each message by its date. */
function rankDates(listed: ListedMessages, placeAt: PlaceAt): Uint32Array {
  const ranks = new Uint32Array(listed.count);
  let rank = 0;
  for (let age = 1; age < listed.count; age++) {
    if (listed.date(placeAt(age)) !== listed.date(placeAt(age - 1))) rank += 1;
    ranks[placeAt(age)] = rank;
  }
  return ranks;
}
