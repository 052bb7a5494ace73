import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { ListingClient } from '../../../src/bulk/reconcile/listing';
import { Random } from '../../support/random';

/** The time that a service may take to list a message, and a request to arrive, in the seconds of a world. */
export const SETTLE = 60;

/** A message of the service. */
export interface SentMessage {
  readonly id: bigint;
  readonly sender: string;
  readonly receptor: string;
  readonly message: string;
  readonly mode: number;
  /** The date as the service lists it. */
  readonly date: number;
  readonly at: number;
  /** The time from which on the service lists it. */
  readonly listedFrom: number;
  /** A random number by which the service may order messages. */
  readonly key: number;
  /** The row that it was sent for; undefined for the message of another program. */
  readonly row: number | undefined;
}

type Message = Pick<SentMessage, 'sender' | 'receptor' | 'message' | 'mode' | 'row'> & { readonly unixdate: number };

/**
 * How a service makes a page, beside its other habits: it lists the page oldest first and cuts it at the newest end; it
 * ignores the page size; or its page of one message has the oldest message of the page.
 */
export type PageHabit = 'cut at the newest end' | 'of any size' | 'of one is the oldest';

/** What a service does with its listings. Each habit is one that a real service may have. */
export interface Habits {
  readonly ids: 'rising' | 'falling' | 'random';
  /** True when some messages get the id of the message before. */
  readonly sharesIds: boolean;
  /** The length of the shortest time that dates show, in seconds; 0 when all dates are equal. */
  readonly dateUnit: number;
  /** The greatest difference between the date and the time of a message. */
  readonly dateJitter: number;
  readonly maxCount: number;
  /** The greatest number of messages of each line, or of each mode. */
  readonly maxCountOf: { readonly part: 'sender' | 'mode'; readonly count: number } | undefined;
  readonly maxAge: number;
  /** The greatest age of the messages of a line or a mode. */
  readonly maxAgeOf: { readonly part: 'sender' | 'mode'; readonly is: string; readonly age: number } | undefined;
  readonly maxDateAge: number;
  readonly hidesFuture: boolean;
  readonly lines: readonly string[] | undefined;
  readonly hidesMode: number | undefined;
  readonly delay: number;
  readonly order: 'newest' | 'oldest' | 'newest date' | 'oldest date' | 'id' | 'random';
  /** The order of messages with the same date, for a service that orders by dates. */
  readonly ties: 'same' | 'reverse' | 'key' | 'shuffled';
  /** For a listing that begins with the oldest message: true when the newest messages stay when it is cut. */
  readonly keepsNewest: boolean;
  readonly repeats: ((message: SentMessage) => 'same id' | 'other id' | undefined) | undefined;
  readonly rewrites:
    | ((message: SentMessage) => Partial<Pick<SentMessage, 'sender' | 'receptor' | 'message'>>)
    | undefined;
}

const EXACT: Habits = {
  ids: 'rising',
  sharesIds: false,
  dateUnit: 1,
  dateJitter: 0,
  maxCount: Number.POSITIVE_INFINITY,
  maxCountOf: undefined,
  maxAge: Number.POSITIVE_INFINITY,
  maxAgeOf: undefined,
  maxDateAge: Number.POSITIVE_INFINITY,
  hidesFuture: false,
  lines: undefined,
  hidesMode: undefined,
  delay: 0,
  order: 'newest',
  ties: 'same',
  keepsNewest: true,
  repeats: undefined,
  rewrites: undefined,
};

/** The habits of a service that lists everything as it was sent, in the order of time. */
export function honestHabits(random: Random): Habits {
  return {
    ...EXACT,
    ids: random.pick(['rising', 'rising', 'falling', 'random'] as const),
    dateUnit: random.pick([1, 1, 1, 20, 60]),
    delay: random.below(3) === 0 ? random.below(SETTLE) : 0,
    order: random.pick(['newest', 'newest', 'newest', 'newest', 'newest date', 'oldest'] as const),
  };
}

const NASTY_ORDERS = [
  ...(['newest', 'newest', 'newest', 'newest', 'newest', 'newest'] as const),
  ...(['newest date', 'newest date', 'newest date', 'newest date'] as const),
  ...(['oldest', 'oldest', 'oldest date', 'id', 'random'] as const),
];

/** The habits of a service that departs from what was sent in some ways. */
export function nastyHabits(random: Random): Habits {
  let habits: Habits = {
    ...honestHabits(random),
    order: random.pick(NASTY_ORDERS),
    ties: random.pick(['same', 'same', 'reverse', 'key', 'shuffled'] as const),
    dateUnit: random.pick([1, 1, 1, 5, 20, 60, 3600, 0]),
    keepsNewest: random.below(2) === 0,
  };
  for (let count = random.pick([1, 1, 1, 1, 2, 2, 3]); count > 0; count--) habits = { ...habits, ...departure(random) };
  return habits;
}

function departure(random: Random): Partial<Habits> {
  switch (random.below(18)) {
    case 0:
    case 1:
      return { maxCount: 1 + random.below(40) };
    case 2:
      return { maxAge: random.below(500) };
    case 3:
      return { maxDateAge: random.below(500) };
    case 4:
      return { hidesFuture: true };
    case 5:
      return { lines: [random.pick(['3000', '4000'])] };
    case 6:
      return { hidesMode: 1 + random.below(2) };
    case 7:
    case 11:
    case 12:
      return { repeats: repeatsOf(random) };
    case 8:
      return { dateJitter: 1 + random.below(40) };
    case 13:
      return { sharesIds: true };
    case 9:
      return { maxCountOf: { part: random.pick(['sender', 'mode'] as const), count: 1 + random.below(20) } };
    case 10: {
      const part = random.pick(['sender', 'mode'] as const);
      const is = random.pick(part === 'sender' ? ['3000', '4000'] : ['1', '2']);
      return { maxAgeOf: { part, is, age: random.below(500) } };
    }
    default:
      return { rewrites: rewritesOf(random) };
  }
}

/** Picks the messages that a habit applies to. */
function patternOf(random: Random): (message: SentMessage) => boolean {
  const digit = String(random.below(8));
  const [length, part, mode] = [random.pick([7, 12]), 2 + random.below(2), 1 + random.below(2)];
  const from = 1_000_000 + random.below(2000);
  return random.pick<(message: SentMessage) => boolean>([
    () => true,
    ({ receptor }) => receptor.endsWith(digit),
    ({ receptor }) => receptor.endsWith(digit),
    ({ message }) => message.length >= length,
    ({ message }) => /\d/.test(message),
    ({ sender }) => sender === '4000',
    (each) => each.mode === mode,
    ({ at }) => at >= from,
    ({ at }) => at < from,
    ({ key }) => key % part === 0,
  ]);
}

function repeatsOf(random: Random): NonNullable<Habits['repeats']> {
  const applies = patternOf(random);
  const way = random.pick(['same id', 'other id', 'other id'] as const);
  return (message) => (applies(message) ? way : undefined);
}

function rewritesOf(random: Random): NonNullable<Habits['rewrites']> {
  const applies = patternOf(random);
  const firstWord = (text: string) => text.trim().split(' ')[0] as string;
  const ways: NonNullable<Habits['rewrites']>[] = [
    ({ receptor }) => ({ receptor: receptor.replace(/^0/, '+98') }),
    () => ({ receptor: '0912*******' }),
    ({ message }) => ({ message: message.trim().replace(/ +/g, ' ') }),
    ({ message }) => ({ message: message.replace(/\d/g, (digit) => String.fromCodePoint(0x06f0 + Number(digit))) }),
    ({ message }) => ({ message: `${message} (spam)` }),
    ({ message }) => ({ message: firstWord(message) }),
    ({ message }) => ({ message: firstWord(message) }),
    () => ({ message: '' }),
    () => ({ sender: '9999' }),
    () => ({ sender: '4000' }),
    ({ sender }) => ({ sender: sender === '3000' ? '4000' : '3000' }),
  ];
  const chosen = Array.from({ length: random.pick([1, 1, 2]) }, () => random.pick(ways));
  return (message) => {
    const shown = { ...message };
    if (applies(message)) for (const way of chosen) Object.assign(shown, way(shown));
    return { sender: shown.sender, receptor: shown.receptor, message: shown.message };
  };
}

/** A service that keeps all messages in memory, and lists them in its own way. */
export class ModelService implements ListingClient {
  readonly messages: SentMessage[] = [];
  now = 1_000_000;
  readonly habits: Habits;
  readonly #random: Random;
  #lastId: bigint;

  constructor(
    habits: Habits,
    seed: number,
    private readonly page?: PageHabit,
  ) {
    this.habits = page ? { ...habits, order: 'oldest', keepsNewest: true } : habits;
    this.#random = new Random(seed);
    this.#lastId = BigInt(this.#random.below(1000) + 1);
  }

  send({ sender, receptor, message, mode, unixdate, row }: Message): bigint {
    const random = this.#random;
    const { ids, sharesIds, dateUnit, dateJitter, delay } = this.habits;
    this.#lastId += BigInt(1 + random.below(3));
    const shared = sharesIds && random.below(5) === 0 ? this.messages.at(-1)?.id : undefined;
    // Unlike the other ids, ids in no order need a check that they are new.
    const own = ids === 'rising' ? this.#lastId : ids === 'falling' ? 1_000_000n - this.#lastId : this.#randomId();
    const id = shared ?? own;
    const time = unixdate || this.now + random.below(dateJitter + 1);
    const date = dateUnit === 0 ? 0 : Math.floor(time / dateUnit) * dateUnit;
    const listedFrom = this.now + random.below(delay + 1);
    const key = random.below(1_000_000);
    this.messages.push({ id, sender, receptor, message, mode, row, at: this.now, date, listedFrom, key });
    return id;
  }

  async *selectLatestStream({ pagesize }: { readonly pagesize: number }): AsyncGenerator<ApiSelect> {
    const all = Number.POSITIVE_INFINITY;
    // A page of this service has at most 26 messages.
    if (this.page === 'cut at the newest end') yield* this.#list(pagesize).slice(0, 26);
    else if (this.page === 'of any size') yield* this.#list(all).slice(0, 26);
    else if (this.page === 'of one is the oldest' && pagesize === 1) yield* this.#list(26).slice(0, 1);
    else yield* this.#list(pagesize);
  }

  #randomId(): bigint {
    for (;;) {
      const id = BigInt(1 + this.#random.below(1_000_000));
      if (this.messages.every((each) => each.id !== id)) return id;
    }
  }

  #list(most: number): readonly ApiSelect[] {
    const {
      maxCount,
      maxCountOf,
      maxAge,
      maxAgeOf,
      maxDateAge,
      hidesFuture,
      lines,
      hidesMode,
      order,
      keepsNewest,
      repeats,
    } = this.habits;
    const shown = this.messages.filter((each) => {
      const { at, listedFrom, date, sender, mode } = each;
      return (
        listedFrom <= this.now &&
        this.now - at <= maxAge &&
        (maxAgeOf === undefined || String(each[maxAgeOf.part]) !== maxAgeOf.is || this.now - at <= maxAgeOf.age) &&
        this.now - date <= maxDateAge &&
        (!hidesFuture || date <= this.now) &&
        (lines === undefined || lines.includes(sender)) &&
        mode !== hidesMode
      );
    });
    const ordered = this.#order(shown);
    // A service cuts the end of its listing, or keeps the newest messages of a listing that begins with the oldest.
    const keepsEnd = (order === 'oldest' || order === 'oldest date') && keepsNewest;
    const counts = new Map<unknown, number>();
    const counted = (keepsEnd ? ordered.reverse() : ordered).filter((each) => {
      if (maxCountOf === undefined) return true;
      const count = (counts.get(each[maxCountOf.part]) ?? 0) + 1;
      counts.set(each[maxCountOf.part], count);
      return count <= maxCountOf.count;
    });
    const cut = counted.slice(0, Math.min(most, maxCount));
    const listed = keepsEnd ? cut.reverse() : cut;
    return listed.flatMap((each) => {
      const once = this.#show(each);
      const repeated = repeats?.(each);
      if (repeated === undefined) return [once];
      if (repeated === 'same id') return [once, once];
      const later = each.key % 3 === 0 ? BigInt(this.habits.dateUnit) : 0n;
      return [once, { ...once, messageid: once.messageid + 5_000_000n, date: once.date + later }];
    });
  }

  #order(messages: SentMessage[]): SentMessage[] {
    const { order, ties } = this.habits;
    // Messages are in the order of their arrival.
    if (order === 'oldest') return messages;
    if (order === 'newest') return messages.reverse();
    if (order === 'id') return messages.sort((a, b) => Number(b.id - a.id));
    const index = new Map(messages.map((each, at) => [each, at]));
    const random = new Map(messages.map((each) => [each, this.#random.below(1_000_000)]));
    const difference = (of: Map<SentMessage, number>, a: SentMessage, b: SentMessage) =>
      (of.get(a) as number) - (of.get(b) as number);
    if (order === 'random') return messages.sort((a, b) => difference(random, a, b));
    const sign = order === 'oldest date' ? 1 : -1;
    const tie = {
      same: (a: SentMessage, b: SentMessage) => sign * difference(index, a, b),
      reverse: (a: SentMessage, b: SentMessage) => -sign * difference(index, a, b),
      key: (a: SentMessage, b: SentMessage) => a.key - b.key,
      shuffled: (a: SentMessage, b: SentMessage) => difference(random, a, b),
    }[ties];
    return messages.sort((a, b) => sign * (a.date - b.date) || tie(a, b));
  }

  #show(each: SentMessage): ApiSelect {
    const { id, sender, receptor, message, date } = each;
    const listed = { messageid: id, sender, receptor, message, date: BigInt(date), status: 1, statustext: '', cost: 0 };
    return { ...listed, ...this.habits.rewrites?.(each) } as unknown as ApiSelect;
  }
}
