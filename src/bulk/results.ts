import type { List } from './list/list';
import type { RawRow } from './rows/input';
import type { RowState } from './state/row-table';
import { type BulkRow, statusOf } from './status';
import { ownIdOf, readTracking } from './track';

/** A row of the input and its outcome. */
export interface BulkResult {
  /** Counted from 1; the header of a file is not a row. */
  readonly row: number;
  /** The values of the row by column, as they were given. */
  readonly columns: RawRow;
  /** The names of the columns, in the order of the file. An object has names such as 2024 first. */
  readonly columnNames: readonly string[];
  /** The receptor as it is sent. */
  readonly receptor: string;
  readonly state: RowState;
  /** The id of a sent row. The first row of a batch without order has all ids of the batch, with blanks between. */
  readonly messageid: string;
  /** The last status that `track` has seen; undefined without one. */
  readonly status: number | undefined;
  /** The reason why the row was not sent, is unknown, or has no status; empty for a row with a status. */
  readonly reason: string;
}

export async function* resultsOf(list: List): AsyncGenerator<BulkResult> {
  const { rows } = list;
  const { statuses } = await readTracking(list.path);
  const knownRows = statusOf(list).rows();
  for await (const chunk of rows.read()) {
    for (const read of chunk) {
      const { receptor } = rows.messageOf(rows.valuesOf(read));
      const known = knownRows.next().value as BulkRow;
      const given = { columns: read.columns as RawRow, columnNames: read.columnNames, receptor: receptor ?? '' };
      yield { ...given, ...resultOf(known, statuses) };
    }
  }
}

/** The outcome of a row. @param statuses the last status of each message */
export function resultOf(
  known: BulkRow,
  statuses: ReadonlyMap<bigint, number>,
): Pick<BulkResult, 'row' | 'state' | 'messageid' | 'status' | 'reason'> {
  const { row, state, ids } = known;
  const id = ownIdOf(known);
  const status = id === undefined ? undefined : statuses.get(id);
  const reason = status === undefined ? reasonOf(known, id !== undefined) : '';
  return { row, state, messageid: ids.join(' '), status, reason };
}

function reasonOf({ state, error }: BulkRow, hasOwnId: boolean): string {
  if (error !== '') return error;
  if (state === 'sent') return hasOwnId ? 'not tracked yet' : 'it has no id of its own';
  // A crash may have come before a reason was recorded.
  return state === 'unknown' ? 'no response was recorded' : '';
}
