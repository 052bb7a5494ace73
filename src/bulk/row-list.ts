import type { OpenJournal } from './journal/open-journal';
import type { RowState, RowTable } from './journal/row-table';

/** A row as the journal knows it. */
export interface BulkRow {
  /** Counted from 1; the header of a file is not a row. */
  readonly row: number;
  readonly state: RowState;
  /** The ids that the service gave: the row's own if ids are in order or if the row was found, else those of its batch. */
  readonly ids: readonly bigint[];
  /** Why it was last not sent, in a word; empty if it was. */
  readonly error: string;
  /** Whether the last sound reconciliation did not find it. */
  readonly notFound: boolean;
}

/** The rows that stand in a state, or all, in their order. */
export function* listRows(
  { ledger, options }: Pick<OpenJournal, 'ledger' | 'options'>,
  state?: RowState,
): Generator<BulkRow> {
  const { table } = ledger;
  for (let row = 1; row <= table.rows; row++) {
    if (state !== undefined && table.state(row) !== state) continue;
    const ids = table.state(row) === 'sent' ? idsOf(table, row, options.idsInOrder) : [];
    yield { row, state: table.state(row), ids, error: table.error(row), notFound: table.isMissing(row) };
  }
}

/** A batch is a range of rows. Those of it that were found have ids of their own. */
function idsOf(table: RowTable, row: number, isOwn: boolean): bigint[] {
  if (isOwn || table.isFound(row)) return [table.id(row)];
  const isSame = (other: number) => other >= 1 && other <= table.rows && table.batch(other) === table.batch(row);
  let from = row;
  while (isSame(from - 1)) from -= 1;
  const ids: bigint[] = [];
  for (let one = from; isSame(one); one++) ids.push(table.id(one));
  return ids;
}
