import type { OpenJournal } from './journal/open-journal';
import type { RowState, RowTable } from './journal/row-table';

/** A row as the journal knows it. */
export interface BulkRow {
  /** Counted from 1; the header of a file is not a row. */
  readonly row: number;
  readonly state: RowState;
  /** The number of the request that last contained the row; 0 for a row that is in no request or that was found. */
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

/** Lists the rows that are in a state, or all rows, in their order. */
export function* listRows(
  { ledger, options }: Pick<OpenJournal, 'ledger' | 'options'>,
  state?: RowState,
): Generator<BulkRow> {
  const { table } = ledger;
  let listed = 0;
  for (let row = 1; row <= table.rows; row++) {
    const current = table.state(row);
    if (state !== undefined && current !== state) continue;
    const batch = table.batch(row);
    let ids: bigint[] = [];
    if (current === 'sent' && (options.idsInOrder || batch === 0)) ids = [table.id(row)];
    else if (current === 'sent' && batch !== listed) ids = idsOf(table, row, batch);
    listed = batch;
    yield { row, state: current, batch, ids, error: table.error(row), notFound: table.isMissing(row) };
  }
}

/** The ids of a batch, from its first row on. */
function idsOf(table: RowTable, first: number, batch: number): bigint[] {
  const ids: bigint[] = [];
  for (let row = first; row <= table.rows && table.batch(row) === batch; row++) ids.push(table.id(row));
  return ids;
}
