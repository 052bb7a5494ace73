import { nonEmptyText, oneOf, showValue, trueOrFalse } from '../options/checks';
import { checkOptions, refuseValue, wrongOption } from '../options/table';
import type { BulkJournal } from './state/bulk-journal';
import { type BulkRecord, type RowRange, rangesOf, readRanges, rowsOf } from './state/records';
import type { RowState, RowView } from './state/row-table';

/** The findings of an operator about unknown rows. */
export interface ResolveOptions {
  /** The rows, such as `[[3, 3], [10, 12]]`. All of them must be unknown. */
  readonly ranges: readonly RowRange[];
  /** `sent` makes the rows sent, `not-sent` makes them pending. */
  readonly as: 'sent' | 'not-sent';
  /**
   * The message id of one row that was sent, which no other row has. Without it, one listed message with the row's
   * content counts as its.
   */
  readonly id?: bigint | undefined;
}

const resolveOptions = {
  ranges: { read: readRanges, required: true },
  as: { read: oneOf(['sent', 'not-sent']), required: true },
  id: { read: readId },
} as const;

/** The rows that become pending again: exactly one of these options says which. */
export interface RetryOptions {
  /** The kind of the response that refused the rows: `412`, `http-404` or `fault`. */
  readonly status?: string | undefined;
  /** The rows, such as `[[3, 3], [10, 12]]`. All of them must be rejected or left out. */
  readonly ranges?: readonly RowRange[] | undefined;
  /** True for all rejected rows. */
  readonly all?: boolean | undefined;
}

const retryOptions = {
  status: { read: nonEmptyText('a status such as 412, http-404 or fault') },
  ranges: { read: readRanges },
  all: { read: trueOrFalse },
} as const;

/** Records the findings of an operator. Resolves with the number of rows. @throws {ConfigurationError} */
export async function resolveRows(journal: BulkJournal, options: ResolveOptions): Promise<number> {
  const { ranges, as, id } = checkOptions(resolveOptions, options);
  const { table } = journal.state;
  const rows = rowsIn(ranges, table, ['unknown'], 'resolve');
  if (id !== undefined && (rows.length !== 1 || as !== 'sent'))
    throw wrongOption('id', 'it is the id of one row that was sent');
  const [other] = id === undefined ? [] : table.filter((row) => table.state(row) === 'sent' && table.id(row) === id);
  if (other !== undefined) throw wrongOption('id', `message ${id} belongs to the request of row ${other} already`);
  if (id !== undefined && (journal.state.baseline?.ids.includes(String(id)) || [...journal.state.known()].includes(id)))
    throw wrongOption('id', `message ${id} was there before the list, so it is not of row ${rows[0]}`);
  if (id !== undefined && journal.state.elsewhere.has(id))
    throw wrongOption('id', `another list has sent message ${id}, so it is not of row ${rows[0]}`);
  const sent = rows.map((row): BulkRecord => ({ t: 'known-sent', row, ...(id !== undefined && { id: String(id) }) }));
  await journal.commit(as === 'sent' ? sent : { t: 'pending', ranges });
  return rows.length;
}

/** Makes rejected or left-out rows pending. Resolves with their number. @throws {ConfigurationError} */
export async function retryRows(journal: BulkJournal, options: RetryOptions): Promise<number> {
  const { status, ranges, all } = checkOptions(retryOptions, options);
  if ([status !== undefined, ranges !== undefined, all === true].filter(Boolean).length !== 1)
    throw wrongOption('status', 'give one of status, ranges and all');
  const { table } = journal.state;
  const isWanted = (row: number) => table.state(row) === 'rejected' && (all || table.reason(row).refusal === status);
  const rows = ranges ? rowsIn(ranges, table, ['rejected', 'left-out'], 'retry') : [...table.filter(isWanted)];
  if (rows.length > 0) await journal.commit({ t: 'pending', ranges: rangesOf(rows) });
  return rows.length;
}

/** The rows of ranges. @throws {ConfigurationError} for a row in another state, or that the list does not have */
function rowsIn(
  ranges: readonly RowRange[],
  table: RowView,
  states: readonly RowState[],
  method: string,
): readonly number[] {
  if (ranges.length === 0) throw wrongOption('ranges', 'no row is given');
  // Before the ranges become lists of rows, which may be too long.
  for (const [, to] of ranges) if (to > table.total) throw wrongOption('ranges', `there is no row ${to}`);
  const rows = [...new Set(rowsOf(ranges))];
  const wrong = rows.find((row) => !states.includes(table.state(row)));
  if (wrong === undefined) return rows;
  throw wrongOption('ranges', `row ${wrong} is ${table.state(wrong)}: ${method} is for ${states.join(' and ')} rows`);
}

function readId(value: unknown): bigint {
  if (typeof value === 'bigint' && value > 0n) return value;
  return refuseValue(`${showValue(value)} is not a bigint above 0`);
}
