import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { ListingClient } from '../../../src/bulk/reconcile/listing';
import type { Random } from '../../support/random';

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
  /** The row that it was sent for; undefined for the message of another program. */
  readonly row: number | undefined;
}

type Message = Omit<SentMessage, 'id' | 'at' | 'date'> & { readonly unixdate: number };

/**
 * A service with random habits: it cuts its listings by count, age, date, line and mode, rewrites messages, lists them late, twice, or
 * in an order of its own, and other programs send too. Each habit is one that a real service may have.
 */
export class ModelService implements ListingClient {
  readonly messages: SentMessage[] = [];
  now = 1_000_000;
  readonly #random: Random;
  readonly #habits: ReturnType<typeof habitsOf>;
  #lastId: bigint;

  constructor(random: Random) {
    this.#random = random;
    this.#habits = habitsOf(random);
    this.#lastId = BigInt(random.below(1000) + 1);
  }

  send({ sender, receptor, message, mode, unixdate, row }: Message): bigint {
    const { ids, dateUnit } = this.#habits;
    this.#lastId += BigInt(1 + this.#random.below(3));
    const id = ids === 'rising' ? this.#lastId : ids === 'falling' ? 1_000_000n - this.#lastId : this.#randomId();
    const date = Math.floor((unixdate || this.now) / dateUnit) * dateUnit;
    this.messages.push({ id, sender, receptor, message, mode, row, at: this.now, date });
    return id;
  }

  async *selectLatestStream({ pagesize }: { readonly pagesize: number }): AsyncGenerator<ApiSelect> {
    yield* this.#list(this.messages, pagesize);
  }

  async *selectOutboxStream(dates: {
    readonly startUnixdate: bigint | number;
    readonly endUnixdate: bigint | number;
  }): AsyncGenerator<ApiSelect> {
    const [start, end] = [Number(dates.startUnixdate), Number(dates.endUnixdate)];
    yield* this.#list(
      this.messages.filter(({ date }) => date >= start && date <= end),
      Number.POSITIVE_INFINITY,
    );
  }

  #randomId(): bigint {
    for (;;) {
      const id = BigInt(1 + this.#random.below(1_000_000));
      if (this.messages.every((each) => each.id !== id)) return id;
    }
  }

  #list(messages: readonly SentMessage[], most: number): readonly ApiSelect[] {
    const { maxCount, maxAge, maxDateAge, hidesFuture, lines, hidesMode, delay, order, twice } = this.#habits;
    const shown = messages.filter(
      ({ at, date, sender, mode }) =>
        at + delay <= this.now &&
        this.now - at <= maxAge &&
        this.now - date <= maxDateAge &&
        (!hidesFuture || date <= this.now) &&
        (lines === undefined || lines.includes(sender)) &&
        mode !== hidesMode,
    );
    const ordered = this.#order(shown);
    const isOldestFirst = order === 'oldest' || order === 'oldest date';
    const limit = Math.min(most, maxCount);
    // A service cuts the end of its listing, or keeps the newest messages of a listing that begins with the oldest.
    const cut = isOldestFirst && this.#habits.keepsNewest ? ordered.slice(-limit) : ordered.slice(0, limit);
    const listed = cut.map((each) => this.#rewrite(each));
    if (twice === undefined) return listed;
    return listed.flatMap((each) => {
      if (twice === 'parts' && (each.message ?? '').length < 8) return each;
      return [each, twice === 'parts' ? { ...each, messageid: each.messageid + 5_000_000n } : each];
    });
  }

  #order(messages: readonly SentMessage[]): SentMessage[] {
    const { order } = this.#habits;
    const shuffled = messages.map((each) => ({ each, key: this.#random.below(1_000_000) }));
    const time = ({ each }: { readonly each: SentMessage }) => messages.indexOf(each);
    shuffled.sort((a, b) => {
      if (order === 'random') return a.key - b.key;
      if (order === 'id') return Number(b.each.id - a.each.id);
      if (order === 'newest date') return b.each.date - a.each.date || a.key - b.key;
      if (order === 'oldest date') return a.each.date - b.each.date || a.key - b.key;
      return order === 'newest' ? time(b) - time(a) : time(a) - time(b);
    });
    return shuffled.map(({ each }) => each);
  }

  #rewrite({ id, sender, receptor, message, date }: SentMessage): ApiSelect {
    const { rewrites, oddReceptor } = this.#habits;
    const isOdd = oddReceptor === undefined || receptor.endsWith(oddReceptor);
    const listed = { messageid: id, sender, receptor, message, date: BigInt(date), status: 1, statustext: '', cost: 0 };
    if (!isOdd || rewrites === undefined) return listed as unknown as ApiSelect;
    const changes = {
      prefix: { receptor: receptor.replace(/^0/, '+98') },
      blanks: { message: message.trim().replace(/ +/g, ' ') },
      digits: { message: message.replace(/\d/g, (digit) => String.fromCodePoint(0x06f0 + Number(digit))) },
      line: { sender: '9999' },
      text: { message: `${message} (spam)` },
    };
    return { ...listed, ...changes[rewrites] } as unknown as ApiSelect;
  }
}

function habitsOf(random: Random) {
  const sometimes = <T>(chance: number, value: () => T): T | undefined =>
    random.below(100) < chance ? value() : undefined;
  return {
    ids: random.pick(['rising', 'rising', 'falling', 'random'] as const),
    dateUnit: random.pick([1, 1, 20, 60, 3600]),
    maxCount: sometimes(30, () => 1 + random.below(30)) ?? Number.POSITIVE_INFINITY,
    maxAge: sometimes(20, () => random.below(400)) ?? Number.POSITIVE_INFINITY,
    maxDateAge: sometimes(15, () => random.below(400)) ?? Number.POSITIVE_INFINITY,
    hidesFuture: random.below(100) < 25,
    lines: sometimes(15, () => [random.pick(['3000', '4000'])]),
    hidesMode: sometimes(20, () => 1 + random.below(2)),
    delay: sometimes(30, () => random.below(SETTLE)) ?? 0,
    order: random.pick(['newest', 'newest', 'newest', 'oldest', 'newest date', 'oldest date', 'id', 'random'] as const),
    keepsNewest: random.below(2) === 0,
    twice: sometimes(15, () => random.pick(['same', 'parts'] as const)),
    rewrites: sometimes(25, () => random.pick(['prefix', 'blanks', 'digits', 'line', 'text'] as const)),
    oddReceptor: sometimes(60, () => String(random.below(6))),
  };
}
