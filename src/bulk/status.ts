import { holderOf, type JournalHolder } from '../journal/owner';
import { readJournal } from '../journal/read-journal';
import { parseListing } from './reconcile/listing';
import { type BulkView, bulkKind, noJournal } from './state/bulk-journal';
import type { PlanOptions } from './state/plan';
import type { Listing } from './state/records';
import type { Counts, RowState, RowStates } from './state/row-table';

/** What a journal knows about a list of rows. */
export interface BulkStatus {
  /** The options that decide on requests, as the first run had them. */
  readonly options: PlanOptions;
  readonly counts: Counts;
  /** Another process that has the journal open, or may have it open on another host. */
  readonly holder: JournalHolder | undefined;
  /** The listing of the messages that the service had before anything was sent; undefined without a baseline. */
  readonly baseline: Listing | undefined;
  /** True once a request was decided on. From then on no baseline is listed. */
  readonly isBegun: boolean;
  /** The number of rows under way that are in a queue or with one of its workers. `collectBulk` asks for their outcomes. */
  readonly queued: number;
  /** The number of unknown rows that the last reconciliation did not find. */
  readonly notFound: number;
  /** Sentences about what a crash has left at the end of the journal. */
  readonly notices: readonly string[];
  /** Lists the rows that are in a state, or all rows, in their order. */
  rows(state?: RowState): IterableIterator<BulkRow>;
}

/** A row as the journal knows it. */
export interface BulkRow {
  /** Counted from 1; the header of a file is not a row. */
  readonly row: number;
  readonly state: RowState;
  /** The number of the request that last contained the row; 0 for a row that was in no request or that was found. */
  readonly batch: number;
  /**
   * The id of a sent row, if ids are in the order of rows or the row was found. Otherwise ids belong to the batch: the first row that
   * is listed of the batch has all of its ids, and the other rows have none.
   */
  readonly ids: readonly bigint[];
  /** The reason why the row was last not sent, in a few words; empty for a sent row. */
  readonly error: string;
  /** True if the last reconciliation that concluded did not find the row. */
  readonly notFound: boolean;
}

/**
 * Reads a journal and writes nothing, also while another process sends.
 *
 * @throws {JournalError}
 */
export async function readBulk(path: string): Promise<BulkStatus> {
  const { state, notices, holder } = await readState(path);
  return holder ? { ...statusOf(state), holder } : statusOf(state, notices);
}

/** Reads the state of a journal. What an ended process left under way is unknown. @throws {JournalError} */
export async function readState(path: string): Promise<ReadState> {
  const found = await readJournal(path, bulkKind);
  if (found?.state.list === undefined) throw noJournal(path);
  const holder = holderOf(found.opened);
  if (!holder) found.state.begin('');
  return { state: found.state, notices: found.notices, holder };
}

interface ReadState extends Pick<BulkStatus, 'notices' | 'holder'> {
  readonly state: BulkView;
}

/** The status of an open journal. */
export function statusOf(state: BulkView, notices: readonly string[] = []): BulkStatus {
  const { table, list, baseline } = state;
  // A journal has a list from its opening on.
  const { options } = list as NonNullable<typeof list>;
  let notFound = 0;
  for (const _ of table.filter((row) => table.isMissing(row))) notFound += 1;
  return {
    options,
    counts: table.counts(),
    holder: undefined,
    baseline: baseline && parseListing(baseline.listing),
    isBegun: state.batches > 0,
    queued: state.queued.countRows(),
    notFound,
    notices,
    rows: (of) => listRows(table, options.idsInOrder, of),
  };
}

/** Lists the rows that are in a state, or all rows, in their order. */
export function* listRows(table: RowStates, idsInOrder: boolean, state?: RowState): Generator<BulkRow, undefined> {
  let listed = 0;
  for (const row of table.filter((each) => state === undefined || table.state(each) === state)) {
    const [current, batch] = [table.state(row), table.batch(row)];
    let ids: bigint[] = [];
    if (current === 'sent' && (idsInOrder || batch === 0)) ids = [table.id(row)];
    else if (current === 'sent' && batch !== listed) ids = idsOf(table, row, batch);
    listed = batch;
    yield { row, state: current, batch, ids, error: table.error(row), notFound: table.isMissing(row) };
  }
}

/** The ids of a batch, from its first row on. */
function idsOf(table: RowStates, first: number, batch: number): bigint[] {
  const ids: bigint[] = [];
  for (let row = first; row <= table.total && table.batch(row) === batch; row++) ids.push(table.id(row));
  return ids;
}
