import { ConfigurationError } from '../errors';
import { oneOf, showValue } from '../options/checks';
import { refuseValue } from '../options/table';
import { checkedOptions, journalOptions } from './options';
import { changeJournal } from './retry';
import type { BulkJournal } from './state/bulk-journal';
import type { BulkRecord, RowRange } from './state/records';

/** The findings of an operator about unknown rows. */
export interface ResolveOptions {
  /** The rows, such as `[[3, 3], [10, 12]]`. All of them must be unknown. */
  readonly ranges: readonly RowRange[];
  /** `sent` makes the rows sent. `not-sent` is a finding as that of a reconciliation: `retry` makes the rows pending. */
  readonly as: 'sent' | 'not-sent';
  /** The id of the message of a single row that was sent. Without it, one listed message with the row's content counts as this row's. */
  readonly id?: bigint | undefined;
}

const resolveOptions = {
  ranges: { read: readRanges, required: true },
  as: { read: oneOf(['sent', 'not-sent']), required: true },
  id: { read: readId },
} as const;

/** The rows of a journal about which an operator has found out something. */
export interface ResolveBulkOptions extends ResolveOptions {
  /** The path of the journal. */
  readonly journal: string;
  /** As for `openBulk`. Default false. */
  readonly takeOver?: boolean | undefined;
}

/**
 * Records in a journal what an operator has found out about unknown rows. Their input is not needed.
 *
 * @throws {ConfigurationError | JournalError | JournalWriteError}
 */
export function resolveBulk({ journal, takeOver, ...options }: ResolveBulkOptions): ReturnType<typeof changeJournal> {
  const opening = checkedOptions(journalOptions, { journal, takeOver });
  return changeJournal(opening.journal, opening.takeOver, (opened) => resolveRows(opened, options));
}

/** Records what an operator has found out. Resolves with the number of rows. */
export async function resolveRows(journal: BulkJournal, options: ResolveOptions): Promise<number> {
  const { ranges, as, id } = checkedOptions(resolveOptions, options);
  const { table } = journal.state;
  // Before the ranges become lists of rows, which may be too long.
  for (const [, to] of ranges) if (to > table.total) throw wrongOption('ranges', `there is no row ${to}`);
  const rows = ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
  for (const row of rows) {
    const state = table.state(row);
    if (state !== 'unknown') throw wrongOption('ranges', `row ${row} is ${state}, not unknown`);
  }
  if (id !== undefined && (rows.length !== 1 || as !== 'sent'))
    throw wrongOption('id', 'it is the id of one row that was sent');
  const sent = rows.map((row): BulkRecord => ({ t: 'found', row, ...(id !== undefined && { id: String(id) }) }));
  await journal.commit(...(as === 'sent' ? sent : [{ t: 'not-found', ranges } as const]));
  return rows.length;
}

function wrongOption(option: string, message: string): ConfigurationError {
  return new ConfigurationError({ problems: [{ option, message }] });
}

function readRanges(value: unknown): readonly RowRange[] {
  const isRow = (each: unknown) => Number.isSafeInteger(each) && (each as number) >= 1;
  const isRange = (each: unknown) =>
    Array.isArray(each) && each.length === 2 && each.every(isRow) && each[0] <= each[1];
  if (Array.isArray(value) && value.length > 0 && value.every(isRange)) return value;
  return refuseValue('a list of ranges such as [[1, 3]] is needed');
}

function readId(value: unknown): bigint {
  if (typeof value === 'bigint' && value > 0n) return value;
  return refuseValue(`${showValue(value)} is not a bigint above 0`);
}
