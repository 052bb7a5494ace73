import { oneOf } from '../options/checks';
import { checkedOptions, journalOptions } from './options';
import { type BulkJournal, openBulkJournal } from './state/bulk-journal';
import { rangesOf } from './state/records';
import { type BulkStatus, statusOf } from './status';

/** The rows that may be sent again. */
export const retryStates = ['not-found', 'rejected'] as const;
export type RetryState = (typeof retryStates)[number];

const readState = { read: oneOf(retryStates), required: true } as const;

/** Makes rows pending again. Resolves with their number. @param isWanted false for a row that stays as it is */
export async function retryRows(
  journal: BulkJournal,
  given: RetryState,
  isWanted: (row: number) => boolean = () => true,
): Promise<number> {
  const { state } = checkedOptions({ state: readState }, { state: given });
  const { table } = journal.state;
  const applies = (row: number) => (state === 'rejected' ? table.state(row) === state : table.isMissing(row));
  const rows = [...table.filter((row) => applies(row) && isWanted(row))];
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
  ...journalOptions,
  state: readState,
} as const;

/**
 * Makes rows of a journal pending again. Their input is not needed.
 *
 * @throws {ConfigurationError | JournalError | JournalWriteError}
 */
export async function retryBulk(
  options: RetryOptions,
): Promise<{ readonly rows: number; readonly status: BulkStatus }> {
  const { journal, state, takeOver } = checkedOptions(retryOptions, options);
  return changeJournal(journal, takeOver, (opened) => retryRows(opened, state));
}

/** Opens a journal without its input, changes rows, and closes it. @param change resolves with the number of rows */
export async function changeJournal(
  path: string,
  takeOver: boolean,
  change: (journal: BulkJournal) => Promise<number>,
): Promise<{ readonly rows: number; readonly status: BulkStatus }> {
  const journal = await openBulkJournal(path, takeOver);
  try {
    const rows = await change(journal);
    return { rows, status: statusOf(journal.state, journal.notices) };
  } finally {
    await journal.close();
  }
}
