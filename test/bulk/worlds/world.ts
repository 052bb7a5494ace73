import type { Rules } from '../../../src/bulk/reconcile/conclude';
import { recordBaseline } from '../../../src/bulk/reconcile/listing';
import { reconcileSettled } from '../../../src/bulk/reconcile/reconcile';
import { resolveRows } from '../../../src/bulk/resolve';
import { retryRows } from '../../../src/bulk/retry';
import { CheckedRows } from '../../../src/bulk/rows/checked-rows';
import type { OpenList } from '../../../src/bulk/state/bulk-journal';
import { BulkState } from '../../../src/bulk/state/bulk-state';
import { type BulkRecord, type OutcomeRecord, type RowRange, readRecord } from '../../../src/bulk/state/records';
import type { AppendFile } from '../../../src/journal/file';
import { Journal } from '../../../src/journal/journal';
import { parseLine } from '../../../src/journal/records';
import { Random } from '../../support/random';
import { ModelService, SETTLE } from './service';

/** What went wrong in a world: rows that were sent twice, and rows that are called sent and were not. */
export interface Damage {
  readonly twice: number;
  readonly lost: number;
}

/** What was decided in a world, to show that reconciliations do decide. */
export interface Played extends Damage {
  readonly found: number;
  readonly notFound: number;
  readonly undecided: number;
}

const SENDERS = ['3000', '3000', '3000', '4000'];
const TEXTS = ['Hello', 'Hello 12', ' Hello  12 ', 'a longer text of 34', 'Hello ۱۲'];

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

/** Plays an operator who sends a list to a service with random habits, crashes at random instants, and follows what is printed. */
export async function playWorld(seed: number, rules?: Rules): Promise<Played> {
  return new World(seed, rules).play();
}

class World {
  readonly #random: Random;
  readonly #rules: Rules | undefined;
  readonly #service: ModelService;
  readonly #rows: readonly Row[];
  readonly #plan;
  #text = '';
  #openings = 0;
  #list!: OpenList;
  #checked!: CheckedRows;
  #played = { found: 0, notFound: 0, undecided: 0 };

  constructor(seed: number, rules: Rules | undefined) {
    this.#random = new Random(seed);
    this.#rules = rules;
    this.#service = new ModelService(this.#random);
    this.#rows = this.#makeRows();
    const batchSize = this.#random.pick([1, 1, 1, 2, 4]);
    const idsInOrder = this.#random.below(3) === 0;
    this.#plan = { operation: 'sendArray', batchSize, idsInOrder, startWithinMs: 5000 } as const;
  }

  async play(): Promise<Played> {
    this.#sendHistory();
    const source = {
      input: this.#rows.map((row) => ({ ...row })),
      operation: 'sendArray',
      fields: {},
      defaults: {},
      ignoreColumns: false,
    } as const;
    this.#checked = await CheckedRows.check(source);
    await this.#open();
    await this.#listBaseline();
    for (let round = 0; round < 5; round++) {
      await this.#run();
      await this.#open();
      this.#sendOthers();
      this.#pass(SETTLE + this.#random.below(200));
      await this.#reconcile();
      if (this.#random.below(4) > 0) await retryRows(this.#list.journal, 'not-found');
      if (this.#random.below(3) === 0) await this.#resolve();
    }
    return { ...this.#played, ...this.#damage() };
  }

  #makeRows(): Row[] {
    const random = this.#random;
    const count = 2 + random.below(28);
    const ownDates = random.below(5) === 0;
    const ownModes = random.below(4) === 0;
    const isUnique = random.below(3) > 0;
    return Array.from({ length: count }, (_, index) => ({
      sender: random.pick(SENDERS),
      receptor: `0912${String(isUnique ? index : random.below(count * 4)).padStart(7, '0')}`,
      message: random.pick(TEXTS),
      unixdate: ownDates && random.below(3) === 0 ? this.#service.now + random.below(2000) : 0,
      msgmode: ownModes ? 1 + random.below(2) : 1,
    }));
  }

  /** Messages from before the list, some of them with the content of a row. */
  #sendHistory(): void {
    for (let count = this.#random.below(25); count > 0; count--) {
      this.#sendForeign(this.#random.below(4) === 0);
      this.#pass(this.#random.below(50));
    }
    this.#pass(SETTLE + 1);
  }

  /** Another program never sends the very message of a row while the list is sent. */
  #sendOthers(): void {
    for (let count = this.#random.below(6); count > 0; count--) {
      this.#sendForeign(false);
      this.#pass(this.#random.below(20));
    }
  }

  #sendForeign(isEqual: boolean): void {
    const random = this.#random;
    const row = random.pick(this.#rows);
    const [sender, mode] = [isEqual ? row.sender : random.pick(SENDERS), 1 + random.below(2)];
    const receptor =
      isEqual || random.below(3) === 0 ? row.receptor : `0935${String(random.below(1e6)).padStart(7, '0')}`;
    const message = isEqual ? row.message : random.pick([...TEXTS.map((text) => `${text}!`), 'other']);
    this.#service.send({ sender, receptor, message, mode, unixdate: 0, row: undefined });
  }

  async #listBaseline(): Promise<void> {
    const random = this.#random;
    const way = random.below(10);
    if (way === 0) return;
    const { now } = this.#service;
    const listing =
      way < 7
        ? { pagesize: random.pick([1, 3, 10, 1000, 1000]) }
        : {
            startUnixdate: now - random.below(2000),
            endUnixdate: now + 10 - random.pick([0, random.below(500)]),
            dates: 'seconds' as const,
          };
    await recordBaseline(this.#list.journal, this.#service, listing, undefined);
    this.#pass(random.below(100));
  }

  /** Sends what is pending, several batches at a time, until all is sent or a crash. */
  async #run(): Promise<void> {
    const random = this.#random;
    const { journal } = this.#list;
    const crashAt = random.below(3) === 0 ? random.below(40) : Number.POSITIVE_INFINITY;
    const concurrency = random.pick([1, 1, 2, 4]);
    const pending = this.#batches();
    const flights: Flight[] = [];
    for (let step = 0; step < crashAt && (pending.length > 0 || flights.length > 0); step++) {
      this.#pass(random.pick([0, 1, 1, 5, 30]));
      if (random.below(8) === 0) this.#sendForeign(false);
      const range = flights.length < concurrency && random.below(2) === 0 ? pending.shift() : undefined;
      if (range) {
        const n = journal.state.batches + 1;
        await journal.commit({ t: 'intent', n, range, at: 0 });
        flights.push({ n, range, ids: undefined });
      } else if (flights.length > 0) await this.#move(flights, random.below(flights.length));
    }
    // What was on its way when the program crashed arrives later, or never.
    for (const flight of flights) if (flight.ids === undefined && random.below(2) === 0) this.#arrive(flight);
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
  async #move(flights: Flight[], index: number): Promise<void> {
    const random = this.#random;
    const { journal } = this.#list;
    const flight = flights[index] as Flight;
    const fate = random.below(20);
    const { n } = flight;
    let outcome: OutcomeRecord | undefined;
    if (flight.ids === undefined) {
      if (fate === 0) outcome = { t: 'not-sent', n, error: '' };
      else if (fate === 1) outcome = { t: 'rejected', n, error: '' };
      else if (fate === 2) outcome = { t: 'unknown', n, error: '' };
      else this.#arrive(flight);
    } else if (fate < 3) outcome = { t: 'unknown', n, error: '' };
    else outcome = { t: 'sent', n, ids: this.#idsOf(flight.ids).map(String) };
    if (outcome === undefined) return;
    journal.append(outcome);
    if (random.below(2) === 0) await journal.flush();
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
    const random = this.#random;
    const { now } = this.#service;
    const listing = random.pick([
      undefined,
      undefined,
      undefined,
      { pagesize: 1 + random.below(40) },
      { startUnixdate: now - random.below(3000), endUnixdate: now + random.below(100) },
    ]);
    const result = await reconcileSettled(this.#list, this.#service, {
      listing,
      signal: undefined,
      ...(this.#rules && { rules: this.#rules }),
    });
    this.#played.found += result.found;
    this.#played.notFound += result.notFound;
    this.#played.undecided += result.undecided.flatMap(({ ranges }) => ranges).length;
  }

  /** The operator finds out the truth about some unknown rows. */
  async #resolve(): Promise<void> {
    const { table } = this.#list.journal.state;
    for (const row of table.filter((each) => table.state(each) === 'unknown' && !table.isMissing(each))) {
      const message = this.#service.messages.find((each) => each.row === row);
      const id = this.#random.below(2) === 0 ? message?.id : undefined;
      await resolveRows(this.#list.journal, {
        ranges: [[row, row]],
        as: message ? 'sent' : 'not-sent',
        ...(id !== undefined && { id }),
      });
    }
  }

  /** Opens the journal as the next process does, from what the last one has written. */
  async #open(): Promise<void> {
    const state = new BulkState();
    for (const line of this.#text.split('\n').filter((each) => each !== '')) {
      const record = parseLine(line, readRecord);
      if (record?.t === 'open') state.begin(record.opening);
      else if (record && record.t !== 'close' && record.t !== 'synced') state.apply(record as BulkRecord);
    }
    // What the last process had not written yet is lost.
    const opening = ++this.#openings;
    const file: AppendFile = {
      append: async (bytes) => {
        if (opening === this.#openings) this.#text += Buffer.from(bytes).toString();
      },
      sync: async () => undefined,
      size: async () => Buffer.byteLength(this.#text),
      close: async () => undefined,
    };
    const size = Buffer.byteLength(this.#text);
    const journal = new Journal<BulkRecord, BulkState>({
      path: 'journal',
      file,
      state,
      size,
      knowledge: 'what was sent',
    });
    const total = this.#rows.length;
    await journal.begin(state.list ? [] : [{ t: 'bulk', sha256: '', total, options: this.#plan }]);
    this.#list = { plan: this.#plan, rows: this.#checked, journal };
  }

  #pass(seconds: number): void {
    this.#service.now += seconds;
  }

  #damage(): Damage {
    const { table } = this.#list.journal.state;
    const sent = this.#rows.map((_, index) => this.#service.messages.filter(({ row }) => row === index + 1).length);
    return {
      twice: sent.filter((count) => count > 1).length,
      lost: sent.filter((count, index) => count === 0 && table.state(index + 1) === 'sent').length,
    };
  }
}
