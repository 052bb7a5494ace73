import { nonEmptyText, oneOf, trueOrFalse } from '../internal/option-checks';
import { checkedOptions } from './options';
import { type BulkJournal, openBulkJournal } from './state/bulk-journal';
import { rangesOf } from './state/records';
import { type BulkStatus, statusOf } from './status';

/** The rows that may be sent again. */
export const retryStates = ['not-found', 'rejected'] as const;
export type RetryState = (typeof retryStates)[number];

const readState = { read: oneOf(retryStates), required: true } as const;

/** Makes rows pending again. Resolves with their number. */
export async function retryRows(journal: BulkJournal, given: RetryState): Promise<number> {
  const { state } = checkedOptions({ state: readState }, { state: given });
  const { table } = journal.state;
  const applies = (row: number) => (state === 'rejected' ? table.state(row) === state : table.isMissing(row));
  const rows = [...table.filter(applies)];
  if (rows.length > 0) await journal.commit({ t: 'retry', ranges: rangesOf(rows) });
  return rows.length;
}

/** The rows of a journal that are to be sent again. */
export interface RetryOptions {
  /** The path of the journal. */
  readonly journal: string;
  readonly state: RetryState;
  /** As for `openBulk`. Default false. */
  readonly takeOver?: boolean | undefined;
}

const retryOptions = {
  journal: { read: nonEmptyText('a path'), required: true },
  state: readState,
  takeOver: { read: trueOrFalse, default: false },
} as const;

/**
 * Makes rows of a journal pending again. Their input is not needed.
 *
 * @throws {ConfigurationError | JournalError | JournalWriteError}
 */
export async function retryBulk(
  options: RetryOptions,
): Promise<{ readonly rows: number; readonly status: BulkStatus }> {
  const { journal: path, state, takeOver } = checkedOptions(retryOptions, options);
  const journal = await openBulkJournal(path, takeOver);
  try {
    const rows = await retryRows(journal, state);
    return { rows, status: statusOf(journal.state, journal.notices) };
  } finally {
    await journal.close();
  }
}
