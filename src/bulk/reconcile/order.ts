/** The number of arrangements of which chance shows one, or its reverse, in fewer than 1 of 1,000 cases. */
const ENOUGH = 2001;

/** The time of a message, by positions in the journal: it was sent after the intent and before the outcome. */
export interface KnownTime {
  readonly intent: number;
  readonly outcome: number;
}

/** The date of a listed message, and its time where the journal knows it. */
interface Dated {
  readonly date: number;
  readonly time: KnownTime | undefined;
}

/** The order in which a service lists its messages. */
export interface ListingOrder {
  /** Undefined when messages or dates contradict both orders, or when chance could show the order. */
  readonly direction: 'newest first' | 'oldest first' | undefined;
  /** True when messages with the same date are seen to be in the order too. */
  readonly isSeenWithinDates: boolean;
}

/** Finds the order of the messages of a listing. */
export function findOrder(messages: readonly Dated[]): ListingOrder {
  const oldestFirst = checkAscending(messages);
  // With negated times, the newest message has the lowest one.
  const newestFirst = checkAscending(
    messages.map(({ date, time }) => ({
      date: -date,
      time: time && { intent: -time.outcome, outcome: -time.intent },
    })),
  );
  if (newestFirst.isSeen && !oldestFirst.hasDates) return { direction: 'newest first', ...newestFirst };
  const isOldestFirst = oldestFirst.isSeen && !newestFirst.hasDates;
  return { direction: isOldestFirst ? 'oldest first' : undefined, ...oldestFirst };
}

/** Checks the assumption that messages come in ascending order of their times. */
function checkAscending(messages: readonly Dated[]) {
  let [isContradicted, latestIntent] = [false, Number.NEGATIVE_INFINITY];
  let [dates, latestDate] = [0, Number.NEGATIVE_INFINITY];
  const blocks = new Blocks();
  // The messages of the current date, and the arrangements of the earlier messages within their dates.
  let [sameDate, earlierDates] = [new Blocks(), 1];
  const countWithinDates = () => Math.min(ENOUGH, earlierDates * sameDate.arrangements);
  for (const { date, time } of messages) {
    if (date !== latestDate) {
      dates += date > latestDate ? 1 : Number.NEGATIVE_INFINITY;
      latestDate = date;
      [sameDate, earlierDates] = [new Blocks(), countWithinDates()];
    }
    if (time === undefined) continue;
    if (time.outcome < latestIntent) isContradicted = true;
    latestIntent = Math.max(latestIntent, time.intent);
    blocks.add(time);
    sameDate.add(time);
  }
  return {
    isSeen: !isContradicted && blocks.arrangements >= ENOUGH,
    // There are several dates, which ascend through the whole listing.
    hasDates: dates > 1,
    isSeenWithinDates: countWithinDates() >= ENOUGH,
  };
}

/** Finds blocks of messages, each of which certainly came before the next one, and counts the ways to arrange them. */
class Blocks {
  /**
   * The time of the last block, the outcome of the block before, and the number of messages in the last block and in
   * all others.
   */
  #last: KnownTime = { intent: 0, outcome: Number.NEGATIVE_INFINITY };
  #outcomeBefore = Number.NEGATIVE_INFINITY;
  #size = 0;
  #others = 0;
  /** The number of arrangements without the last block. */
  #before = 1;

  add({ intent, outcome }: KnownTime): void {
    const last = this.#last;
    if (intent === last.intent && outcome === last.outcome) {
      this.#size += 1;
      return;
    }
    if (intent > last.outcome) {
      this.#before = this.arrangements;
      this.#others += this.#size;
      this.#outcomeBefore = last.outcome;
    } else if (intent <= this.#outcomeBefore || outcome >= last.outcome) return;
    // A message that overlaps with the last block, but ends earlier, replaces it: it leaves more room for the next one.
    this.#last = { intent, outcome };
    this.#size = 1;
  }

  /** The number of arrangements. It stops growing where there are enough. */
  get arrangements(): number {
    let count = this.#before;
    // The binomial coefficient of the last block among all messages.
    for (let each = 1; each <= this.#size && count < ENOUGH; each++) count *= (this.#others + each) / each;
    return count;
  }
}
