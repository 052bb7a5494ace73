import { QueuedBatches } from './queued-batches';
import type { BaselineRecord, IntentRecord, JournalRecord, OutcomeRecord, RowRange } from './records';
import { type RowState, RowTable } from './row-table';

/** The sum of a journal's records: where each row stands. */
export class Ledger {
  table = new RowTable(0);
  /** The last batch's number. */
  batches = 0;
  /** When a request may last have been under way, as far as the journal knows, in milliseconds since 1970. */
  lastRequest = 0;
  /** What was listed before anything was sent. */
  baseline: BaselineRecord | undefined;
  /** Batches without an outcome that a queue or its workers have. */
  readonly queued = new QueuedBatches();
  /** Other batches without an outcome. */
  readonly #open = new Map<number, RowRange>();
  /** The opening that the records belong to. */
  #run = '';

  /** Takes a record in; false if it cannot follow the ones before. */
  apply(record: JournalRecord): boolean {
    switch (record.t) {
      case 'open':
        this.#run = record.run;
        this.abandon();
        return true;
      case 'close':
        return true;
      case 'bulk':
        if (this.table.rows === 0) this.table = new RowTable(record.rows);
        return true;
      case 'baseline':
        this.baseline = record;
        return true;
      case 'intent':
        return this.table.has(record.rows) && this.#intend(record);
      case 'found':
        return this.table.has([record.row, record.row]) && this.#find(record.row, BigInt(record.id));
      case 'not-found':
        if (!record.rows.every((range) => this.table.has(range))) return false;
        this.table.setMissing(record.rows);
        return true;
      case 'again':
        if (!record.rows.every((range) => this.table.has(range))) return false;
        for (const range of record.rows) this.#move(range, 'pending', (state) => isOpen(state) || state === 'rejected');
        return true;
      default:
        return this.#conclude(record);
    }
  }

  /** What is under way, and in no queue, belongs to a process that has ended, so its outcome is unknown. */
  abandon(): void {
    const isAbandoned = (state: RowState, row: number) => state === 'under way' && !this.#isQueued(row);
    for (const range of this.#open.values()) this.#move(range, 'unknown', isAbandoned);
  }

  #intend({ n, rows, at, queued }: IntentRecord): boolean {
    // Two processes that wrote at the same time gave a number twice. Both have stopped, and to which of the two batches an
    // outcome belongs cannot be told, so none is taken: their rows are unknown. But if the first one is in a queue, it stays
    // there: its journal was synced before, so the second one was noticed and never sent.
    const isNew = n > this.batches;
    const other = this.#open.get(n);
    if (other) this.#move(other, 'unknown', (state) => state === 'under way');
    if (!isNew) this.#open.delete(n);
    else if (queued) this.queued.add({ n, rows, run: this.#run });
    else this.#open.set(n, rows);
    this.batches = Math.max(this.batches, n);
    this.lastRequest = Math.max(this.lastRequest, at);
    for (let row = rows[0]; row <= rows[1]; row++) {
      if (this.table.state(row) === 'sent' || this.#isQueued(row)) continue;
      this.table.setState(row, isNew ? 'under way' : 'unknown');
      this.table.setBatch(row, n);
    }
    return true;
  }

  #isQueued(row: number): boolean {
    return this.table.state(row) === 'under way' && this.queued.rowsOf(this.table.batch(row)) !== undefined;
  }

  #conclude(record: OutcomeRecord): boolean {
    const range = this.#open.get(record.n) ?? this.queued.rowsOf(record.n);
    if (range === undefined) return record.n <= this.batches;
    this.#open.delete(record.n);
    this.queued.delete(record.n);
    if (record.t === 'sent') {
      if (record.ids.length !== range[1] - range[0] + 1) return false;
      for (const [index, id] of record.ids.entries()) {
        this.table.setId(range[0] + index, BigInt(id));
        this.table.setError(range[0] + index, '');
      }
      this.#move(range, 'sent', () => true);
      return true;
    }
    this.lastRequest = Math.max(this.lastRequest, record.at ?? 0);
    for (let row = range[0]; row <= range[1]; row++) this.table.setError(row, record.error);
    // Of a row that was decided on again since, only the newer decision counts.
    const applies = (state: RowState, row: number) => isOpen(state) && this.table.batch(row) === record.n;
    this.#move(range, record.t === 'not-sent' ? 'pending' : record.t, applies);
    return true;
  }

  #find(row: number, id: bigint): boolean {
    this.table.setState(row, 'sent');
    this.table.setId(row, id);
    this.table.setBatch(row, 0);
    this.table.setError(row, '');
    return true;
  }

  #move([from, to]: RowRange, target: RowState, applies: (state: RowState, row: number) => boolean): void {
    for (let row = from; row <= to; row++) if (applies(this.table.state(row), row)) this.table.setState(row, target);
  }
}

function isOpen(state: RowState): boolean {
  return state === 'under way' || state === 'unknown';
}
