import type { JournalState } from '../../journal/records';
import { type QueuedBatch, QueuedBatches } from './queued-batches';
import type {
  BaselineRecord,
  BulkRecord,
  ExcludedRecord,
  IntentRecord,
  ListRecord,
  OutcomeRecord,
  RowRange,
} from './records';
import { type RowState, type RowStates, RowTable } from './row-table';

/** The sum of a journal's records: the state of each row. */
export class BulkState implements JournalState<BulkRecord> {
  /** The rows that the journal belongs to; undefined when a crash came before they were written. */
  list: ListRecord | undefined;
  /** The number of the last batch. */
  batches = 0;
  /** The last time at which a request may have been under way, in milliseconds of a clock that only goes forward. */
  lastRequestAt = Number.NEGATIVE_INFINITY;
  /** The messages that were listed before anything was sent. */
  baseline: BaselineRecord | undefined;
  #table = new RowTable(0);
  readonly #queued = new QueuedBatches();
  /** The rows of batches without an outcome that are in no queue, by number. */
  readonly #unfinished = new Map<number, RowRange>();
  #opening = '';
  /** The number of records so far: the place of the newest record. */
  #place = 0;
  /** The places of the waits that reconciliations have recorded, in ascending order. */
  readonly #waits: number[] = [];

  get table(): RowStates {
    return this.#table;
  }

  /** The batches without an outcome that are in a queue or with a worker. */
  get queued(): Omit<QueuedBatches, 'add' | 'delete'> & Iterable<QueuedBatch> {
    return this.#queued;
  }

  /** The place of the first wait that began after a place; undefined without one. */
  waitAfter(place: number): number | undefined {
    return this.#waits.find((wait) => wait > place);
  }

  /** Rows under way that are in no queue belonged to a process that has ended: their outcome is unknown. */
  begin(opening: string): void {
    this.#opening = opening;
    const isAbandoned = (state: RowState, row: number) => state === 'under-way' && !this.#isQueued(row);
    for (const range of this.#unfinished.values()) this.#move(range, 'unknown', isAbandoned);
  }

  apply(record: BulkRecord): boolean {
    this.#place += 1;
    switch (record.t) {
      case 'bulk':
        if (this.list !== undefined) return true;
        this.list = record;
        this.#table = new RowTable(record.total);
        return true;
      case 'baseline':
        this.baseline = record;
        return true;
      case 'intent':
        return this.#table.has(record.range) && this.#intend(record);
      case 'found':
        if (!this.#table.has([record.row, record.row])) return false;
        this.#table.find(record.row, BigInt(record.id ?? 0), this.#place);
        return true;
      case 'excluded':
        return record.ranges.every((range) => this.#table.has(range)) && this.#exclude(record);
      case 'settled':
        this.#waits.push(this.#place);
        return true;
      case 'not-found':
      case 'retry':
        if (!record.ranges.every((range) => this.#table.has(range))) return false;
        if (record.t === 'not-found') for (const range of record.ranges) this.#table.addMissing(range);
        else for (const range of record.ranges) this.#move(range, 'pending', (state) => isUndone(state));
        return true;
      default:
        return this.#conclude(record);
    }
  }

  #intend({ n, range, queued }: IntentRecord): boolean {
    // Two processes that wrote at the same time used a number twice. Both have stopped, and nothing tells to which of the two
    // batches an outcome belongs. So none is taken, and the rows of both are unknown. But a first batch that is in a queue stays
    // there: its journal was synced before, so the second process noticed it and never sent its batch.
    const isNew = n > this.batches;
    const other = this.#unfinished.get(n);
    if (other) this.#move(other, 'unknown', (state) => state === 'under-way');
    if (!isNew) this.#unfinished.delete(n);
    else if (queued) this.#queued.add({ n, range, opening: this.#opening });
    else this.#unfinished.set(n, range);
    this.batches = Math.max(this.batches, n);
    this.lastRequestAt = performance.now();
    for (let row = range[0]; row <= range[1]; row++) {
      if (this.#table.state(row) === 'sent' || this.#isQueued(row)) continue;
      this.#table.setState(row, isNew ? 'under-way' : 'unknown');
      this.#table.intend(row, n, this.#place);
      this.#table.countSend(row, 1);
    }
    return true;
  }

  #isQueued(row: number): boolean {
    return this.#table.state(row) === 'under-way' && this.#queued.rangeOf(this.#table.batch(row)) !== undefined;
  }

  #conclude(record: OutcomeRecord): boolean {
    const range = this.#unfinished.get(record.n) ?? this.#queued.rangeOf(record.n);
    if (range === undefined) return record.n <= this.batches;
    this.#unfinished.delete(record.n);
    this.#queued.delete(record.n);
    if (record.t === 'sent') {
      if (record.ids.length !== range[1] - range[0] + 1) return false;
      for (const [index, id] of record.ids.entries()) this.#table.conclude(range[0] + index, BigInt(id), this.#place);
      this.#move(range, 'sent', () => true);
      return true;
    }
    this.lastRequestAt = performance.now();
    for (let row = range[0]; row <= range[1]; row++) {
      this.#table.setError(row, record.error);
      if (record.t === 'not-sent') this.#table.countSend(row, -1);
    }
    // Only the newest decision counts for a row that was decided on again since.
    const applies = (state: RowState, row: number) => isUnfinished(state) && this.#table.batch(row) === record.n;
    this.#move(range, record.t === 'not-sent' ? 'pending' : record.t, applies);
    return true;
  }

  #exclude({ ranges, error }: ExcludedRecord): true {
    for (const [from, to] of ranges) {
      this.#move([from, to], 'excluded', (state) => state === 'pending');
      for (let row = from; row <= to; row++)
        if (this.#table.state(row) === 'excluded') this.#table.setError(row, error);
    }
    return true;
  }

  #move([from, to]: RowRange, target: RowState, applies: (state: RowState, row: number) => boolean): void {
    for (let row = from; row <= to; row++) if (applies(this.#table.state(row), row)) this.#table.setState(row, target);
  }
}

function isUnfinished(state: RowState): boolean {
  return state === 'under-way' || state === 'unknown';
}

function isUndone(state: RowState): boolean {
  return isUnfinished(state) || state === 'rejected';
}
