import type { List } from '../../../src/bulk/list/list';
import type { ListingClient } from '../../../src/bulk/reconcile/listing';
import type { Reconciliation } from '../../../src/bulk/reconcile/reconcile';
import { bulkFields, messageReader } from '../../../src/bulk/rows/fields';
import { BulkState } from '../../../src/bulk/state/bulk-state';
import type { BulkRecord, RowRange } from '../../../src/bulk/state/records';
import { Random } from '../../support/random';
import { honestHabits, ModelService, nastyHabits, type PageHabit, SETTLE, type SentMessage } from './service';

/** Decides unknown rows: what is tried in the worlds. */
export type RuleSet = (
  list: List,
  client: ListingClient,
  settings: { readonly signal: undefined },
) => Promise<Reconciliation>;

/** How a world is played. */
export interface Play {
  readonly rules: RuleSet;
  /** True for a service that lists everything as it was sent. */
  readonly isHonest?: boolean;
  /** How the service makes a page. */
  readonly page?: PageHabit;
  /** True for thousands of rows, half of which become unknown. */
  readonly isLarge?: boolean;
  /** True when another list with the same texts is sent at the same time. */
  readonly hasSecondList?: boolean;
  /** What is broken on purpose. */
  readonly defect?: 'no intent' | 'no settling' | 'no baseline';
}

/** What happened in a world. */
export interface Played {
  /** The number of rows that were sent more than once. */
  readonly twice: number;
  /** The number of rows that are called sent and were not. */
  readonly untrue: number;
  /** The number of rows that were found or not found. */
  readonly decided: number;
  /** The number of times that a row became unknown. */
  readonly asked: number;
  /** The number of rows that were decided when they were first looked for. */
  readonly decidedAtOnce: number;
  /** For rows that were not decided when they were first looked for: how many have each reason. */
  readonly reasons: ReadonlyMap<string, number>;
}

interface Row {
  readonly sender: string;
  readonly receptor: string;
  readonly message: string;
  readonly unixdate: number;
  readonly msgmode: number;
}

interface Flight {
  readonly n: number;
  readonly range: RowRange;
  ids: bigint[] | undefined;
}

/** The number of rows of a large world. */
const LARGE = 3000;

const SENDERS = ['3000', '3000', '3000', '4000'];
const TEXTS = ['Hello', 'Hello 12', ' Hello  12 ', 'a longer text of 34', 'Hello ۱۲', 'a'];

/**
 * Plays an operator who sends a list to a service with random habits, crashes at random instants, and follows what is
 * printed.
 */
export function playWorld(seed: number, play: Play): Promise<Played> {
  return new World(seed, play).play();
}

class World {
  readonly #seed: number;
  /** Random numbers for the current part of the world. Each part has its own, so that rule sets meet the same world. */
  #random: Random;
  readonly #set: Play;
  readonly #service: ModelService;
  readonly #rows: readonly Row[];
  readonly #checked: List['rows'];
  readonly #plan;
  /** The records that are on the disk. */
  #written: BulkRecord[] = [];
  #list!: List;
  /** The rows that became unknown and were not looked for since. */
  readonly #new = new Set<number>();
  /** The rows that are unknown after they were looked for. */
  readonly #seen = new Set<number>();
  #decided = 0;
  #asked = 0;
  #decidedAtOnce = 0;
  readonly #reasons = new Map<string, number>();

  constructor(seed: number, play: Play) {
    this.#seed = seed;
    this.#set = play;
    this.#random = new Random(seed);
    const habits = play.isHonest ? honestHabits(this.#random) : nastyHabits(this.#random);
    this.#service = new ModelService(habits, seed + 0.5, play.page);
    this.#rows = this.#makeRows();
    this.#checked = checkedRows(this.#rows);
    const batchSize = this.#random.pick([1, 1, 1, 2, 4]);
    const idsInOrder = this.#random.below(3) === 0;
    this.#plan = { operation: 'sendArray', batchSize, idsInOrder, startWithinMs: 5000, asIs: false } as const;
  }

  async play(): Promise<Played> {
    this.#begin(1);
    this.#sendHistory();
    this.#open();
    await this.#listBaseline();
    for (let round = 0; round < 5; round++) {
      this.#begin(10 + round);
      this.#run();
      this.#open();
      this.#begin(20 + round);
      this.#sendOthers();
      this.#pass(this.#random.below(200) + (this.#set.defect === 'no settling' ? 0 : SETTLE));
      await this.#reconcile();
      if (this.#set.defect === 'no settling') this.#arriveLate();
      if (this.#random.below(4) === 0) this.#resolve();
    }
    const [decided, asked, decidedAtOnce, reasons] = [this.#decided, this.#asked, this.#decidedAtOnce, this.#reasons];
    return { ...this.#damage(), decided, asked, decidedAtOnce, reasons };
  }

  #begin(part: number): void {
    this.#random = new Random(Math.imul(this.#seed, 100) + part);
  }

  #makeRows(): Row[] {
    const random = this.#random;
    const usual = 2 + random.below(random.pick([28, 28, 60]));
    const count = this.#set.isLarge ? LARGE : usual;
    const ownDates = random.below(5) === 0;
    const ownModes = random.below(4) === 0;
    const receptors = random.pick([0, 0, 0, 0, count * 4, count, 4]);
    const texts = random.pick([TEXTS, TEXTS, TEXTS.slice(0, 2), TEXTS.slice(0, 2), ['']]);
    const hasTwins = !this.#set.isHonest && random.below(4) === 0;
    const rows: Row[] = [];
    for (let index = 0; index < count; index++) {
      const twin = hasTwins && index > 0 && random.below(5) === 0 ? random.pick(rows) : undefined;
      rows.push(
        twin ?? {
          sender: random.pick(SENDERS),
          receptor: `0912${String(receptors === 0 ? index : random.below(receptors)).padStart(7, '0')}`,
          // A text of its own is the most frequent case.
          message: random.pick(texts) || `Hello ${'abcdefghij'[index % 10]}${index}`,
          unixdate: ownDates && random.below(3) === 0 ? this.#service.now + random.below(2000) : 0,
          msgmode: ownModes ? 1 + random.below(2) : 1,
        },
      );
    }
    return rows;
  }

  /** Messages from before the list, some of them with the content of a row. */
  #sendHistory(): void {
    const { isHonest } = this.#set;
    for (let count = this.#random.below(isHonest ? 40 : 25); count > 0; count--) {
      this.#sendForeign(this.#random.below(isHonest ? 10 : 4) === 0);
      this.#pass(this.#random.pick([0, 1, this.#random.below(50)]));
    }
    this.#pass(SETTLE + 1);
  }

  /** Another program never sends the very message of a row while the list is sent. */
  #sendOthers(): void {
    for (let count = this.#random.below(this.#set.isHonest ? 3 : 6); count > 0; count--) {
      this.#sendForeign(false);
      this.#pass(this.#random.below(20));
    }
  }

  #sendForeign(isEqual: boolean): void {
    const random = this.#random;
    const row = random.pick(this.#rows);
    const [sender, mode] = [isEqual ? row.sender : random.pick(SENDERS), 1 + random.below(2)];
    const knows = random.below(this.#set.isHonest ? 10 : 3) === 0;
    const receptor = isEqual || knows ? row.receptor : `0935${String(random.below(1e6)).padStart(7, '0')}`;
    // No habit of the service makes a row's text of these.
    const text = isEqual ? row.message : random.pick(['other', '! 12', '!!']);
    const message = this.#set.hasSecondList && receptor !== row.receptor ? row.message : text;
    const unixdate =
      !isEqual && !this.#set.isHonest && random.below(10) === 0 ? this.#service.now + random.below(2000) : 0;
    this.#service.send({ sender, receptor, message, mode, unixdate, row: undefined });
  }

  async #listBaseline(): Promise<void> {
    const random = this.#random;
    const service = this.#service;
    if (random.below(this.#set.isHonest ? 6 : 10) === 9) return;
    const pagesize = this.#set.isHonest ? 100 : random.pick([1, 3, 10, 100, 100]);
    // The worlds that tests name by their seeds depend on the number of draws.
    for (const limit of [2000, 500, 2]) random.below(limit);
    const ids: string[] = [];
    for await (const { messageid } of service.selectLatestStream({ pagesize })) ids.push(String(messageid));
    const isForgotten = this.#set.defect === 'no baseline';
    void this.#list.journal.commit({ t: 'baseline', ids: isForgotten ? [] : ids, pagesize });
    this.#pass(random.below(100));
  }

  /** Sends what is pending, several batches at a time, until all is sent or a crash. */
  #run(): void {
    const random = this.#random;
    const { isHonest } = this.#set;
    const { journal } = this.#list;
    const crashAt = random.below(3) === 0 ? random.below(60) : Number.POSITIVE_INFINITY;
    const concurrency = random.pick([1, 1, 2, 4, 100]);
    const pause = random.pick([1, 1, 30]);
    const pending = this.#batches();
    const flights: Flight[] = [];
    for (let step = 0; step < crashAt && (pending.length > 0 || flights.length > 0); step++) {
      this.#pass(random.pick([0, 0, 1, 1, random.below(pause)]));
      if (random.below(isHonest ? 30 : 8) === 0) this.#sendForeign(false);
      const range = flights.length < concurrency && random.below(2) === 0 ? pending.shift() : undefined;
      if (range) {
        const n = journal.state.batches + 1;
        if (this.#set.defect !== 'no intent') void journal.commit({ t: 'intent', n, range, at: 0 });
        flights.push({ n, range, ids: undefined });
      } else if (flights.length > 0) this.#move(flights, random.below(flights.length));
    }
    // What was on its way when the program crashed arrives later, or never.
    for (const flight of flights) if (flight.ids === undefined && random.below(2) === 0) this.#late.push(flight);
    if (this.#set.defect !== 'no settling') this.#arriveLate();
  }

  readonly #late: Flight[] = [];

  #arriveLate(): void {
    for (const flight of this.#late.splice(0)) this.#arrive(flight);
  }

  #batches(): RowRange[] {
    const { table } = this.#list.journal.state;
    const batches: [number, number][] = [];
    for (const row of table.filter((each) => table.state(each) === 'pending')) {
      const last = batches.at(-1);
      const joins = last && last[1] === row - 1 && last[1] - last[0] + 1 < this.#plan.batchSize;
      if (joins && this.#rows[row - 1]?.unixdate === this.#rows[last[0] - 1]?.unixdate) last[1] = row;
      else batches.push([row, row]);
    }
    return batches;
  }

  /** A request arrives at the service, or its response at the program. */
  #move(flights: Flight[], index: number): void {
    const random = this.#random;
    const flight = flights[index] as Flight;
    const { journal } = this.#list;
    const fate = random.below(this.#set.isLarge ? 6 : this.#set.isHonest ? 40 : 20);
    // Without an intent before the request, the request is written down with its outcome.
    const isLate = this.#set.defect === 'no intent';
    const n = isLate ? journal.state.batches + 1 : flight.n;
    const outcome = ((): BulkRecord | undefined => {
      if (flight.ids === undefined) {
        if (fate === 0) return { t: 'not-sent', n, error: '' };
        if (fate === 1) return { t: 'rejected', n, error: '' };
        if (fate === 2) return { t: 'unknown', n, error: '' };
        this.#arrive(flight);
        return undefined;
      }
      // The program refuses a response whose ids are not distinct.
      if (fate < 3 || new Set(flight.ids).size < flight.ids.length) return { t: 'unknown', n, error: '' };
      return { t: 'sent', n, ids: this.#idsOf(flight.ids).map(String) };
    })();
    if (outcome === undefined) return;
    if (isLate) void journal.commit({ t: 'intent', n, range: flight.range, at: 0 });
    journal.append(outcome);
    if (random.below(2) === 0) void journal.flush();
    flights.splice(index, 1);
  }

  #idsOf(ids: readonly bigint[]): bigint[] {
    return this.#plan.idsInOrder ? [...ids] : ids.toSorted(() => this.#random.below(3) - 1);
  }

  #arrive(flight: Flight): void {
    flight.ids = [];
    for (let row = flight.range[0]; row <= flight.range[1]; row++) {
      const { msgmode: mode, ...values } = this.#rows[row - 1] as Row;
      flight.ids.push(this.#service.send({ ...values, mode, row }));
    }
  }

  async #reconcile(): Promise<void> {
    const { journal } = this.#list;
    const { table } = journal.state;
    for (const row of unknownRows(table)) if (!this.#seen.has(row)) this.#new.add(row);
    this.#asked += this.#new.size;
    const result = await this.#set.rules(this.#list, this.#service, { signal: undefined });
    this.#decided += result.found + result.notFound;
    this.#decidedAtOnce += this.#new.size;
    for (const { reason, ranges } of result.undecided) {
      for (const [from, to] of ranges) {
        for (let row = from; row <= to; row++) {
          if (!this.#new.has(row)) continue;
          this.#decidedAtOnce -= 1;
          this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
        }
      }
    }
    this.#new.clear();
    this.#seen.clear();
    for (const row of unknownRows(table)) this.#seen.add(row);
  }

  /** The operator finds out the truth about some unknown rows. */
  #resolve(): void {
    const { journal } = this.#list;
    const { table } = journal.state;
    for (const rows of this.#equalRows()) {
      for (const row of rows.filter((each) => table.state(each) === 'unknown')) {
        if (this.#random.below(2) === 0) continue;
        const isSent = (each: number) => table.state(each) === 'sent';
        const sent = rows.filter(isSent);
        const ids = this.#messagesOf(rows).map(({ id }) => id);
        // The program refuses an id that another row has.
        const known = new Set(Array.from(table.filter(isSent), (of) => table.id(of)));
        const others = ids.filter((each) => !known.has(each));
        const id = this.#random.below(2) === 0 ? others[0] : undefined;
        if (sent.length < ids.length)
          void journal.commit({ t: 'known-sent', row, ...(id !== undefined && { id: String(id) }) });
        else void journal.commit({ t: 'pending', ranges: [[row, row]] });
      }
    }
  }

  /** Opens the journal as the next process does, from what the last one has written. */
  #open(): void {
    const state = new BulkState();
    const total = this.#rows.length;
    if (this.#written.length === 0)
      this.#written.push({
        t: 'list',
        id: '1234567890',
        sha256: '',
        total,
        plan: this.#plan,
        fields: {},
        defaults: {},
      });
    for (const record of this.#written) state.apply(record);
    state.begin('');
    // What the last process had not written yet is lost.
    const written = this.#written;
    const waiting: BulkRecord[] = [];
    const append = (record: BulkRecord) => {
      if (!state.apply(record)) throw new Error(`the record ${record.t} cannot follow`);
      waiting.push(record);
    };
    const flush = async () => {
      written.push(...waiting.splice(0));
    };
    const commit = (records: BulkRecord | Iterable<BulkRecord>) => {
      for (const record of Symbol.iterator in records ? records : [records]) append(record);
      return flush();
    };
    const journal = { state, append, flush, commit } as unknown as List['journal'];
    const given = { settings: {} };
    this.#list = { plan: this.#plan, rows: this.#checked, given, state, journal } as unknown as List;
  }

  #pass(seconds: number): void {
    this.#service.now += seconds;
  }

  /** Equal rows are interchangeable: only the number of their messages counts. */
  #damage(): Pick<Played, 'twice' | 'untrue'> {
    const { table } = this.#list.journal.state;
    const damage = { twice: 0, untrue: 0 };
    for (const rows of this.#equalRows()) {
      const sent = rows.filter((row) => table.state(row) === 'sent').length;
      const maybe = rows.filter((row) => table.state(row) === 'unknown' || table.state(row) === 'under-way').length;
      const messages = this.#messagesOf(rows).length;
      // A message of a pending row is sent a second time by the next run.
      damage.twice += Math.max(0, messages - sent - maybe);
      damage.untrue += Math.max(0, sent - messages);
    }
    return damage;
  }

  #equalRows(): number[][] {
    const groups = new Map<string, number[]>();
    for (const [index, row] of this.#rows.entries()) {
      const key = JSON.stringify(row);
      groups.set(key, [...(groups.get(key) ?? []), index + 1]);
    }
    return [...groups.values()];
  }

  #messagesOf(rows: readonly number[]): SentMessage[] {
    return this.#service.messages.filter(({ row }) => row !== undefined && rows.includes(row));
  }
}

function unknownRows(table: List['journal']['state']['table']): Iterable<number> {
  return table.filter((row) => table.state(row) === 'unknown');
}

/** The rows of a world as a list has them, without a file. */
function checkedRows(rows: readonly Row[]): List['rows'] {
  const fields = bulkFields('sendArray');
  const names = fields.map(({ name }) => name as keyof Row);
  const chunk = rows.map((row, index) => ({ row: index + 1, values: names.map((name) => row[name]) }));
  return {
    fields,
    messageOf: messageReader(fields),
    async *read() {
      yield chunk;
    },
    valuesOf: ({ values }: (typeof chunk)[number]) => values,
  } as unknown as List['rows'];
}
