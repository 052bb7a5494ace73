import type { JournalHolder } from '../journal/owner';
import type { RowsElsewhere } from './list/before-list';
import { List } from './list/list';
import { countRows, type QueueRecord, type Texts } from './state/records';
import type { Counts, RowState, RowView } from './state/row-table';

/** The knowledge of a journal about a list of rows. */
export interface BulkStatus {
  readonly counts: Counts;
  /** Another process that has the journal open, or may have it open on another host. */
  readonly holder: JournalHolder | undefined;
  /** True once something of the list may have been sent: rows and settings stay. Before, `run` begins it anew. */
  readonly isLocked: boolean;
  /** The number of rows in a queue or with one of its workers. `collectBulk` asks for their outcomes. */
  readonly queued: number;
  /** The queue that rows were last put in. */
  readonly queue: QueueRecord | undefined;
  /** How the service is reached, and the limits of the last run, as the command keeps them in the journal. */
  readonly settings: Texts;
  /**
   * True when a changed file has taken the place of this list, which never sends again: `run` goes on with the file.
   */
  readonly isReplaced: boolean;
  /** The pending rows that wait until it is known whether another list has sent their messages. */
  readonly waiting: RowsElsewhere | undefined;
  /** True when a reconciliation may decide more unknown rows than the last one did. */
  readonly isWorthLooking: boolean;
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
  /** The number of the request that last contained the row; 0 for a row that was in no request, or that was found. */
  readonly batch: number;
  /**
   * The id of a sent row, if ids are in the order of rows or the row was found. Otherwise ids belong to the batch: the
   * first row that is listed of the batch has all of its ids, and the other rows have none. A row whose id nobody knows
   * has none.
   */
  readonly ids: readonly bigint[];
  /** The reason why the row was last not sent, or why it could not be decided, in a few words; empty for a sent row. */
  readonly error: string;
  /** The kind of a refusal, as `retry` takes it: `412`, `http-404` or `fault`; empty for any other row. */
  readonly refusal: string;
}

/**
 * Reads a journal and writes nothing, also while another process sends.
 *
 * @throws {JournalError}
 */
export async function readBulk(path: string): Promise<BulkStatus> {
  return statusOf(await List.read(path));
}

export function statusOf(list: List): BulkStatus {
  const { state, notices, holder } = list;
  const { table, isLocked, isWorthLooking, queue, settings } = state;
  return {
    counts: table.counts(),
    holder,
    isLocked,
    isReplaced: state.replacedBy !== undefined,
    waiting: list.waiting,
    isWorthLooking,
    queued: countRows(state.queued()),
    queue,
    settings: { ...settings, ...state.list?.service },
    // The holder may be writing what looks like the end that a crash has left.
    notices: holder ? [] : notices,
    rows: (of) => listRows(table, state.list?.plan.idsInOrder === true, of),
  };
}

function* listRows(table: RowView, idsInOrder: boolean, state?: RowState): Generator<BulkRow, undefined> {
  let listed = 0;
  for (const row of table.filter((each) => state === undefined || table.state(each) === state)) {
    const [current, batch] = [table.state(row), table.batch(row)];
    let ids: bigint[] = [];
    if (current === 'sent' && (idsInOrder || batch === 0)) ids = [table.id(row)];
    else if (current === 'sent' && batch !== listed) ids = Array.from(table.rowsOfBatch(row), (each) => table.id(each));
    listed = batch;
    const { text: error, refusal } = table.reason(row);
    yield { row, state: current, batch, ids: ids.filter((id) => id !== 0n), error, refusal };
  }
}
