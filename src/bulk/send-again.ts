import { ConfigurationError } from '../errors';
import { type OpenJournal, openJournal } from './journal/open-journal';
import { rangesOf } from './reconciling/reconcile';

/** Which rows may be sent again. */
export type AgainState = 'not-found' | 'rejected';

/** Makes rows pending again. Gives how many they are. */
export async function sendAgain(
  { ledger, journal }: Pick<OpenJournal, 'ledger' | 'journal'>,
  state: AgainState,
): Promise<number> {
  if (state !== 'not-found' && state !== 'rejected')
    throw new ConfigurationError({ problems: [{ option: 'state', message: 'not-found or rejected is needed' }] });
  const { table } = ledger;
  const applies = (row: number) =>
    state === 'rejected' ? table.state(row) === 'rejected' : table.state(row) === 'unknown' && table.isMissing(row);
  const rows: number[] = [];
  for (let row = 1; row <= table.rows; row++) if (applies(row)) rows.push(row);
  if (rows.length === 0) return 0;
  const record = { t: 'again', rows: rangesOf(rows) } as const;
  ledger.apply(record);
  await journal.commit(record);
  return rows.length;
}

/** Makes rows of a journal pending again, without their input. Gives how many they are. */
export async function sendAgainFrom(path: string, state: AgainState, takeOver: boolean): Promise<number> {
  const opened = await openJournal({ path, takeOver });
  try {
    return await sendAgain(opened, state);
  } finally {
    await opened.journal.close();
  }
}
