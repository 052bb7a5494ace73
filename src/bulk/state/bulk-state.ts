import type { JournalState } from '../../journal/records';
import { countRecord, MessageDigests } from '../rows/message-digests';
import {
  type BaselineRecord,
  type BulkRecord,
  type IntentRecord,
  type ListRecord,
  type OutcomeRecord,
  type QueueRecord,
  type RowRange,
  rowsIn,
  rowsOf,
  type Texts,
} from './records';
import { type RowState, RowTable, type RowView } from './row-table';

/** A batch that is in a queue, or with a worker. */
export interface QueuedBatch {
  readonly n: number;
  readonly range: RowRange;
  /** The opening of the journal that queued the batch. */
  readonly opening: string;
}

/** The batches that an opening of the journal has put in a queue. */
export interface QueueOpening {
  readonly opening: string;
  /** The name of the queue; undefined for a journal that does not know it. */
  readonly name: string | undefined;
  /** The number of rows and of batches, also of those that have an outcome. */
  readonly rows: number;
  readonly batches: number;
}

/** The number of ticks between two positions in the journal. Ticks beyond it are not told apart. */
const TICKS = 2 ** 28;

interface KnownOpening extends QueueOpening {
  rows: number;
  batches: number;
  /** The position of its first batch. */
  readonly position: number;
  /** True when a row was sent or queued elsewhere since, so that only the journal tells the order of both. */
  isOverlapped: boolean;
}

interface UnfinishedBatch {
  readonly range: RowRange;
  readonly opening: string | undefined;
  readonly isRepeat: boolean;
  /** True when its worker was silent: its rows are unknown, until the worker's outcome comes after all. */
  readonly isGivenUp: boolean;
}

/** The sum of a journal's records: the state of each row. */
export class BulkState implements JournalState<BulkRecord> {
  /** The list that the journal belongs to; undefined when a crash came before it was written. */
  list: ListRecord | undefined;
  /** The number of the last batch. */
  batches = 0;
  /** The latest time in the journal, of a request or an opening, in milliseconds since 1970. */
  latestTime = 0;
  /** The time of the last request, in milliseconds since 1970; 0 when it is not known. */
  sentAt = 0;
  /** The messages that were listed before anything was sent. */
  baseline: BaselineRecord | undefined;
  /** The account in which they were listed. */
  baselineMark: string | undefined;
  /** The accounts of the service in their order, each with the position of the first record that counts for it. */
  readonly accounts: { readonly mark: string; readonly from: number }[] = [];
  /** The queue that rows were last put in. */
  queue: QueueRecord | undefined;
  /** How the service is reached, and the limits that were last given. */
  settings: Texts = {};
  /** The id of the list that has taken the place of this one; undefined for a list that may send. */
  replacedBy: string | undefined;
  /** The journals with which the list is not compared, because they cannot be read. */
  readonly without = new Set<string>();
  /** The messages of the rows, where they are kept. */
  digests: MessageDigests | undefined;
  readonly #keepsDigests: boolean;
  #digestedRows = 0;
  /** The ids of messages that earlier lists of the file have sent. */
  #known: BigInt64Array[] = [];
  /** The ids of messages that other lists have sent, and that are equal to messages of this one. */
  readonly elsewhere = new Set<bigint>();
  #table = new RowTable(0);
  /** True once a reconciliation left unknown rows undecided, until something has happened that may decide them. */
  #hasLooked = false;
  /** The openings that queued batches, also when all of their batches have an outcome. */
  readonly #queueOpenings = new Map<string, KnownOpening>();
  /** The opening of the last intent; undefined for one that is in no queue. */
  #lastQueueOpening: string | undefined;
  /** The batches without an outcome by number. A batch without an opening is in no queue. */
  readonly #unfinished = new Map<number, UnfinishedBatch>();
  #opening = '';
  /** The number of records so far: the position of the newest record. */
  #position = 0;

  /** @param keepsDigests true keeps the messages of the rows, in 16 bytes a row */
  constructor(keepsDigests = false) {
    this.#keepsDigests = keepsDigests;
  }

  get table(): RowView {
    return this.#table;
  }

  /** False for a list that a crash has interrupted before it was begun. */
  get hasDigests(): boolean {
    return this.#digestedRows === this.#table.total;
  }

  /** Lists the ids of messages that earlier lists of the file have sent. */
  *known(): Generator<bigint> {
    for (const ids of this.#known) yield* ids;
  }

  /** The openings that queued batches, also when all of their batches have an outcome. */
  get queueOpenings(): readonly QueueOpening[] {
    return [...this.#queueOpenings.values()];
  }

  /**
   * Lists the batches without an outcome that are in a queue or with a worker. @param by the opening that queued them
   */
  queued(by?: string): Generator<QueuedBatch> {
    return this.#withWorkers(false, by);
  }

  /**
   * Lists the batches of silent workers that were given up and may have rows that were sent. @param by the opening that
   * queued them
   */
  *givenUp(by?: string): Generator<QueuedBatch> {
    const isDecided = (row: number) => ['sent', 'left-out'].includes(this.#table.state(row));
    for (const batch of this.#withWorkers(true, by)) if (![...rowsOf([batch.range])].every(isDecided)) yield batch;
  }

  *#withWorkers(givenUp: boolean, by: string | undefined): Generator<QueuedBatch> {
    for (const [n, { range, opening, isGivenUp }] of this.#unfinished)
      if (opening !== undefined && isGivenUp === givenUp && (by ?? opening) === opening) yield { n, range, opening };
  }

  /**
   * The marks of the accounts in which a row may have been sent: those from its first request to its last one, and
   * those of workers. A row that only one worker may have sent has the account of the worker.
   */
  accountsOf(row: number): ReadonlySet<string | undefined> {
    const [first, last] = [this.#table.firstIntent(row), this.#table.intent(row)];
    const worker = this.#table.account(row);
    if (worker === undefined) return this.#accountsBetween(first, last);
    return first === last ? new Set([worker]) : this.#accountsBetween(first, last).add(worker);
  }

  #accountsBetween(first: number, last: number): Set<string | undefined> {
    const before = this.accounts.findLast(({ from }) => from <= first);
    const between = this.accounts.filter(({ from }) => from > first && from <= last);
    return new Set([before?.mark, ...between.map(({ mark }) => mark)]);
  }

  /**
   * True when something of the list may have been sent, or is left out because of it. Until then, it can be begun anew
   * with other rows and settings.
   */
  get isLocked(): boolean {
    return (['sent', 'unknown', 'under-way', 'left-out'] as const).some((state) => this.#table.count(state) > 0);
  }

  /** True when a reconciliation may decide more than the last one did. */
  get isWorthLooking(): boolean {
    return this.#table.count('unknown') > 0 && !this.#hasLooked;
  }

  /** Rows under way that are in no queue belonged to a process that has ended: their outcome is unknown. */
  begin(opening: string, at = 0): void {
    this.#opening = opening;
    this.latestTime = Math.max(this.latestTime, at);
    const before = this.#table.count('unknown');
    for (const { range, opening: queue } of this.#unfinished.values()) if (queue === undefined) this.#forget(range);
    if (this.#table.count('unknown') > before) this.#hasLooked = false;
  }

  apply(record: BulkRecord): boolean {
    this.#position += 1;
    if (!rangesIn(record).every((range) => this.#table.has(range))) return false;
    switch (record.t) {
      case 'list':
        return this.#begin(record);
      case 'baseline':
        this.baseline = record;
        this.baselineMark = this.accounts.at(-1)?.mark;
        return true;
      case 'intent':
        return this.#intend(record);
      case 'known-sent':
        this.#table.find(record.row, BigInt(record.id ?? 0), this.#position);
        return true;
      case 'queue':
        this.queue = record;
        return true;
      case 'settings':
        this.settings = record.texts;
        return true;
      case 'service':
        this.list = this.list && { ...this.list, service: record.texts };
        return true;
      case 'account':
        this.accounts.push({ mark: record.mark, from: this.#position });
        return true;
      case 'digests':
        return this.#digest(record);
      case 'known':
        this.#known.push(BigInt64Array.from(record.ids, BigInt));
        return true;
      case 'elsewhere':
        for (const id of record.ids) this.elsewhere.add(BigInt(id));
        return true;
      case 'known-rejected':
      case 'left-out':
        return this.#decideBefore(record);
      case 'without':
        this.without.add(record.journal);
        return true;
      case 'replaced':
        this.replacedBy = record.by;
        return true;
      case 'not-found':
      case 'pending':
      case 'undecided':
        return this.#decide(record);
      default:
        return this.#conclude(record);
    }
  }

  /** Begins a list; everything that earlier records say about rows counts for nothing. */
  #begin(record: ListRecord): boolean {
    if (this.isLocked || this.replacedBy !== undefined) return false;
    this.#table = new RowTable(record.total);
    this.digests = this.#keepsDigests ? new MessageDigests() : undefined;
    this.#digestedRows = 0;
    this.#known = [];
    this.elsewhere.clear();
    this.list = record;
    this.baseline = undefined;
    this.accounts.length = 0;
    // No row is under way, so no outcome can come late, and batches are counted from the start.
    this.batches = 0;
    this.#unfinished.clear();
    this.#queueOpenings.clear();
    return true;
  }

  #digest({ from, data }: BulkRecord & { readonly t: 'digests' }): boolean {
    if (from !== this.#digestedRows + 1) return false;
    const rows = countRecord(data);
    this.#digestedRows += rows;
    return rows > 0 && this.#digestedRows <= this.#table.total && (this.digests?.addRecord(data) ?? true);
  }

  /** Decides about rows before any of them is sent by this list. */
  #decideBefore(record: BulkRecord & { readonly t: 'known-rejected' | 'left-out' }): true {
    for (const row of rowsOf(record.ranges)) {
      if (!['pending', 'rejected'].includes(this.#table.state(row))) continue;
      if (record.t === 'left-out') this.#table.leaveOut(row, record.reason, record.corrected === true);
      else {
        this.#table.setState(row, 'rejected');
        this.#table.setReason(row, record.error, record.refusal);
        if (record.refusedTogether) this.#table.setMustGoAlone(row);
      }
    }
    return true;
  }

  #decide(record: BulkRecord & { readonly t: 'not-found' | 'pending' | 'undecided' }): true {
    const applies = record.t === 'pending' ? isUndone : (state: RowState) => state === 'unknown';
    if (record.t === 'undecided') this.#hasLooked = record.again !== true;
    for (const row of rowsOf(record.ranges)) {
      if (!applies(this.#table.state(row))) continue;
      if (record.t === 'undecided') this.#table.setReason(row, record.reason);
      else this.#table.setState(row, 'pending');
      if (record.t === 'pending') this.#table.retry(row);
    }
    return true;
  }

  #intend({ n, range, at = 0, queued, repeat = false }: IntentRecord): boolean {
    this.latestTime = Math.max(this.latestTime, at);
    this.sentAt = Math.max(this.sentAt, at);
    // Two processes that wrote at the same time used a number twice. Both have stopped, and nothing tells to which of
    // the two batches an outcome belongs. So none is taken, and the rows of both are unknown. But a first batch that is
    // in a queue stays there: its journal was synced before, so the second process noticed it and never sent its batch.
    const isNew = n > this.batches;
    const other = this.#unfinished.get(n);
    if (other && other.opening === undefined) {
      this.#forget(other.range);
      this.#unfinished.delete(n);
    }
    const opening = queued ? this.#opening : undefined;
    const position = this.#place(opening, range, isNew);
    if (isNew) this.#unfinished.set(n, { range, opening, isRepeat: repeat, isGivenUp: false });
    else this.#hasLooked = false;
    this.batches = Math.max(this.batches, n);
    for (const row of rowsOf([range])) {
      if (['sent', 'left-out'].includes(this.#table.state(row)) || this.#isQueued(row)) continue;
      this.#table.intend(row, n, position, at);
      this.#table.setState(row, isNew ? 'under-way' : 'unknown');
    }
    return true;
  }

  /**
   * The position of an intent. All batches of one opening have the same one, because only the ticks of their workers
   * tell their order.
   */
  #place(opening: string | undefined, range: RowRange, isNew: boolean): number {
    if (opening === undefined || opening !== this.#lastQueueOpening)
      for (const other of this.#queueOpenings.values()) other.isOverlapped ||= other.opening !== opening;
    this.#lastQueueOpening = opening;
    if (opening === undefined) return this.#position;
    const fresh = {
      opening,
      name: this.queue?.name,
      rows: 0,
      batches: 0,
      position: this.#position,
      isOverlapped: false,
    };
    const known = this.#queueOpenings.get(opening) ?? fresh;
    this.#queueOpenings.set(opening, known);
    if (isNew) known.batches += 1;
    if (isNew) known.rows += rowsIn(range);
    return known.position;
  }

  /** The positions of the claim and of the outcome of a batch, and the account of its worker. */
  #workOf({ opening }: UnfinishedBatch, { ticks, account }: OutcomeRecord) {
    const known = opening === undefined ? undefined : this.#queueOpenings.get(opening);
    const at = (tick: number) => (known?.position ?? 0) + Math.min(tick, TICKS - 1) / TICKS;
    if (known === undefined || ticks === undefined) return { intent: undefined, outcome: this.#position, account };
    return { intent: at(ticks[0]), outcome: known.isOverlapped ? this.#position : at(ticks[1]), account };
  }

  /** The outcome of the rows that are under way and in no queue is unknown. */
  #forget(range: RowRange): void {
    for (const row of rowsOf([range]))
      if (this.#table.state(row) === 'under-way' && !this.#isQueued(row)) this.#table.setState(row, 'unknown');
  }

  #isQueued(row: number): boolean {
    const { opening } = this.#unfinished.get(this.#table.batch(row)) ?? {};
    return opening !== undefined && this.#table.state(row) === 'under-way';
  }

  #conclude(record: OutcomeRecord): boolean {
    const batch = this.#unfinished.get(record.n);
    if (batch === undefined) return record.n <= this.batches;
    const { range, isRepeat, isGivenUp } = batch;
    const work = this.#workOf(batch, record);
    if (record.t === 'unknown' && record.silent) this.#unfinished.set(record.n, { ...batch, isGivenUp: true });
    else this.#unfinished.delete(record.n);
    if (record.t === 'sent') {
      if (record.ids.length !== rowsIn(range)) return false;
      for (const [index, id] of record.ids.entries()) {
        const row = range[0] + index;
        // A row of a silent worker may have been found, or left out, meanwhile.
        if (isGivenUp && ['sent', 'left-out'].includes(this.#table.state(row))) continue;
        if (this.#table.batch(row) === record.n) this.#table.setWork(row, work);
        this.#table.conclude(row, BigInt(id), work.outcome);
      }
      // A message that was sent later may decide an unknown row.
      this.#hasLooked = false;
      return true;
    }
    if (record.t === 'unknown') this.#hasLooked = false;
    // An earlier request may have sent a row that is repeated, whatever became of the repeat.
    const state = isRepeat ? 'unknown' : record.t === 'not-sent' ? 'pending' : record.t;
    for (const row of rowsOf([range])) {
      // Only the newest decision counts for a row that was decided on again since.
      if (this.#table.batch(row) !== record.n || !isUnfinished(this.#table.state(row))) continue;
      if (record.t === 'unknown') this.#table.setWork(row, work);
      if (isRepeat && record.t === 'rejected') this.#table.setRefused(row);
      // The service may remember the clientmessageid that it has refused.
      if (record.t === 'not-sent' && record.refusal !== undefined) this.#table.retry(row);
      this.#table.setReason(row, record.error, record.refusal);
      if (record.refusedTogether) this.#table.setMustGoAlone(row);
      if (record.lost) this.#table.setLost(row);
      this.#table.setState(row, state);
    }
    return true;
  }
}

/** The rows of a record. A list must have them. */
function rangesIn(record: BulkRecord): readonly RowRange[] {
  if ('ranges' in record) return record.ranges;
  if ('range' in record) return [record.range];
  return 'row' in record ? [[record.row, record.row]] : [];
}

function isUnfinished(state: RowState): boolean {
  return state === 'under-way' || state === 'unknown';
}

function isUndone(state: RowState): boolean {
  return isUnfinished(state) || state === 'rejected' || state === 'left-out';
}
