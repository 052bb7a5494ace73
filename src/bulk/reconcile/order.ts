/** The order in which a service lists its messages. */
export type Order = 'newest first' | 'oldest first';

/** The number of arrangements of which chance shows one, or its reverse, in fewer than 1 of 1,000 cases. */
const ENOUGH = 2001;

/** The time of a message, by positions in the journal: it was sent after the intent and before the outcome. */
export interface KnownTime {
  readonly intent: number;
  readonly outcome: number;
}

/** Finds the order of a listing while its messages arrive. */
export class OrderFinder {
  readonly #oldestFirst = new Sequence();
  /** Gets negated times, so that the newest message has the lowest one. */
  readonly #newestFirst = new Sequence();

  /** @param time the time of the message, when the journal knows it */
  add(date: number, time: KnownTime | undefined): void {
    this.#oldestFirst.addDate(date);
    this.#newestFirst.addDate(-date);
    if (time === undefined) return;
    this.#oldestFirst.addTime(time);
    this.#newestFirst.addTime({ intent: -time.outcome, outcome: -time.intent });
  }

  /** The order; undefined when messages or dates contradict it, or when chance could show it. */
  get order(): Order | undefined {
    if (this.#newestFirst.isSeen && !this.#oldestFirst.hasDates) return 'newest first';
    return this.#oldestFirst.isSeen && !this.#newestFirst.hasDates ? 'oldest first' : undefined;
  }

  /** True when messages with the same date are seen to be in the order too. */
  get isSeenWithinDates(): boolean {
    return (this.order === 'newest first' ? this.#newestFirst : this.#oldestFirst).isSeenWithinDates;
  }
}

/** Checks the assumption that messages come in ascending order of their times. */
class Sequence {
  #isContradicted = false;
  #latestIntent = Number.NEGATIVE_INFINITY;
  readonly #blocks = new Blocks();
  /** The messages of the current date, and the arrangements of the earlier messages within their dates. */
  #sameDate = new Blocks();
  #earlierDates = 1;
  #dates = 0;
  #latestDate = Number.NEGATIVE_INFINITY;

  addTime(time: KnownTime): void {
    if (time.outcome < this.#latestIntent) this.#isContradicted = true;
    this.#latestIntent = Math.max(this.#latestIntent, time.intent);
    this.#blocks.add(time);
    this.#sameDate.add(time);
  }

  /** Adds the date of a message. Its time follows. */
  addDate(date: number): void {
    if (date === this.#latestDate) return;
    this.#dates += date > this.#latestDate ? 1 : Number.NEGATIVE_INFINITY;
    this.#latestDate = date;
    this.#earlierDates = this.#countWithinDates();
    this.#sameDate = new Blocks();
  }

  /** True when there are several dates, which ascend through the whole listing. */
  get hasDates(): boolean {
    return this.#dates > 1;
  }

  get isSeen(): boolean {
    return !this.#isContradicted && this.#blocks.arrangements >= ENOUGH;
  }

  get isSeenWithinDates(): boolean {
    return this.#countWithinDates() >= ENOUGH;
  }

  #countWithinDates(): number {
    return Math.min(ENOUGH, this.#earlierDates * this.#sameDate.arrangements);
  }
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
