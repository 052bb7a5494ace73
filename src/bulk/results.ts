import { type RowOptions, resolveList } from './options';
import { CheckedRows } from './rows/checked-rows';
import type { RawRow } from './rows/input';
import { checkUnchanged, identityOf } from './state/bulk-journal';
import type { RowState, RowStates } from './state/row-table';
import { type BulkRow, listRows, readState } from './status';
import { ownIdOf, readSeenStatuses } from './track';

/** A row of the input, and what became of it. */
export interface BulkResult {
  /** Counted from 1; the header of a file is not a row. */
  readonly row: number;
  /** The values of the row by column, as they were given. */
  readonly columns: RawRow;
  readonly state: RowState;
  /** The id of a sent row. Ids of a batch that are in no order are all with the first row of the batch, with blanks between them. */
  readonly messageid: string;
  /** The last status that `track` has seen; undefined without one. */
  readonly status: number | undefined;
  /** The reason why the row was last not sent, is unknown, or was sent and has no status; empty for a row with a status. */
  readonly reason: string;
}

/**
 * Reads every row of an input with what its journal knows, also while another process sends. Writes nothing.
 *
 * @throws {ConfigurationError | InputError | JournalError}
 */
export async function* readResults(options: RowOptions): AsyncGenerator<BulkResult> {
  const { source, plan, journal } = resolveList(options, {});
  const { list, table } = (await readState(journal)).state;
  const rows = await CheckedRows.check(source);
  if (list) checkUnchanged(journal, list, identityOf(rows, plan));
  yield* resultsOf(rows, table, plan.idsInOrder, journal);
}

/** Joins the rows of an input with what a journal and its file of statuses know of them. */
export async function* resultsOf(
  rows: CheckedRows,
  table: RowStates,
  idsInOrder: boolean,
  journal: string,
): AsyncGenerator<BulkResult> {
  const statuses = await readSeenStatuses(journal);
  const known = listRows(table, idsInOrder);
  for await (const { raw, values } of rows.readRaw()) {
    for (const [index, columns] of raw.entries()) {
      const { value } = known.next();
      if (!value || !columns) throw new Error('the journal has fewer rows than the input');
      const { row, state, ids } = value;
      rows.checkUnchanged(values[index], row);
      const id = ownIdOf(value);
      const status = id === undefined ? undefined : statuses.get(id);
      yield {
        row,
        columns,
        state,
        messageid: ids.join(' '),
        status,
        reason: status === undefined ? reasonOf(value, id !== undefined) : '',
      };
    }
  }
}

function reasonOf({ state, error, notFound }: BulkRow, hasOwnId: boolean): string {
  if (notFound) return 'the service does not have it';
  if (error !== '') return error;
  if (state === 'sent') return hasOwnId ? 'not tracked yet' : 'its request has several ids in no known order';
  // A crash may have come before a reason was recorded.
  return state === 'unknown' ? 'no response was recorded' : '';
}
