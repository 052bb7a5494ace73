import { type RowOptions, resolveList } from './options';
import { CheckedRows } from './rows/checked-rows';
import type { RawRow } from './rows/input';
import { checkUnchanged } from './state/bulk-journal';
import { planNames } from './state/plan';
import type { RowState, RowStates } from './state/row-table';
import { listRows, readState } from './status';

/** A row of the input, and what became of it. */
export interface BulkResult {
  /** Counted from 1; the header of a file is not a row. */
  readonly row: number;
  /** The values of the row by column, as they were given. */
  readonly columns: RawRow;
  readonly state: RowState;
  /** The id of a sent row. Ids of a batch that are in no order are all with the first row of the batch, with blanks between them. */
  readonly messageid: string;
  /** The reason why the row was last not sent, or is unknown; empty for a sent row. */
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
  const sha256 = rows.digests.fingerprint(planNames.map((name) => plan[name]));
  if (list) checkUnchanged(journal, list, { sha256, total: rows.digests.count, options: plan });
  yield* resultsOf(rows, table, plan.idsInOrder);
}

/** Joins the rows of an input with what a journal knows of them. */
export async function* resultsOf(rows: CheckedRows, table: RowStates, idsInOrder: boolean): AsyncGenerator<BulkResult> {
  const known = listRows(table, idsInOrder);
  for await (const { raw, values } of rows.readRaw()) {
    for (const [index, columns] of raw.entries()) {
      const { value } = known.next();
      if (!value || !columns) throw new Error('the journal has fewer rows than the input');
      const { row, state, ids, error, notFound } = value;
      rows.checkUnchanged(values[index], row);
      // A crash may have come before a reason was recorded.
      const reason = error || (state === 'unknown' ? 'no response was recorded' : '');
      yield {
        row,
        columns,
        state,
        messageid: ids.join(' '),
        reason: notFound ? 'the service does not have it' : reason,
      };
    }
  }
}
