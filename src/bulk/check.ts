import type { BeforeList } from './list/before-list';
import { checkRowOptions, type RowOptions } from './options';
import { CheckedRows } from './rows/checked-rows';
import { planBatches, requestOf } from './sending/batches';

/** The result of a check of rows that were not sent. */
export interface CheckedList extends Pick<BeforeList, 'parts' | 'oddReceptors' | 'otherLengths' | 'ofSeveralLines'> {
  /** The number of all rows. */
  readonly rows: number;
  /** The number of requests that would be sent. */
  readonly batches: number;
  /** The row with the longest text, and its parts. */
  readonly longest: { readonly row: number; readonly parts: number; readonly characters: number };
  /** The first request as it would be sent, by the contract's names. */
  readonly first: Readonly<Record<string, unknown>>;
  /** The rows with the receptor and the text of another row, however they are written. */
  readonly indistinguishable: readonly number[];
}

/**
 * Checks rows as `openBulk` does, and counts them and their requests. It makes no journal.
 *
 * @throws {ConfigurationError | InputError}
 */
export async function checkBulk(options: RowOptions): Promise<CheckedList> {
  // Objects have no path from which that of a journal follows, and none is needed.
  const { input, journal = typeof input === 'string' ? undefined : 'none' } = options;
  const { source, plan } = checkRowOptions({ ...options, journal });
  const rows = await CheckedRows.check(source, true);
  let first: CheckedList['first'] = {};
  let batches = 0;
  for await (const batch of planBatches(rows, plan, () => true)) {
    if (batches === 0) first = requestOf(plan.operation, batch.rows);
    batches += 1;
  }
  const { count, parts, longest, indistinguishable, oddReceptors, otherLengths, ofSeveralLines } = rows;
  return { rows: count, batches, parts, longest, first, indistinguishable, oddReceptors, otherLengths, ofSeveralLines };
}
