import { JournalError } from '../../journal/errors';
import { type Journal, openJournal } from '../../journal/journal';
import { type ReadJournal, readJournal } from '../../journal/read-journal';
import type { JournalKind } from '../../journal/records';
import type { CheckedRows } from '../rows/checked-rows';
import { BulkState } from './bulk-state';
import type { PlanOptions } from './plan';
import { type BulkRecord, readRecord } from './records';

export type BulkJournal = Journal<BulkRecord, BulkState>;
/** The state of a list for reading. */
export type BulkView = BulkJournal['state'];

/** A list of rows that this process has open. */
export interface OpenList {
  readonly plan: PlanOptions;
  readonly rows: CheckedRows;
  readonly journal: BulkJournal;
}

/** The journal of a list as it was read. */
export type FoundList = ReadJournal<BulkState>;

export const bulkKind: JournalKind<BulkRecord, BulkState> = {
  name: 'bulk',
  knowledge: 'what was sent',
  createState: () => new BulkState(),
  readRecord,
};

/** Reads the journal of a list, which may be in use; undefined without a list. @throws {JournalError} */
export async function findList(path: string): Promise<FoundList | undefined> {
  const found = await readJournal(path, bulkKind);
  return found?.state.list && found;
}

/** Reads the journal of a list, which must exist. @throws {JournalError} */
export async function readList(path: string): Promise<FoundList> {
  return (await findList(path)) ?? refuseMissing(path);
}

/**
 * Opens the journal of a list.
 *
 * @param found the journal as it was read shortly before
 * @param start checks the state and returns the records to begin with; by default the journal must have a list
 * @throws {JournalError}
 */
export function openBulkJournal(
  path: string,
  takeOver: boolean,
  found?: FoundList,
  start: (state: BulkState) => readonly BulkRecord[] = ({ list }) => (list ? [] : refuseMissing(path)),
): Promise<BulkJournal> {
  return openJournal({ path, kind: bulkKind, takeOver, found, start });
}

/** @throws {JournalError} */
export function refuseMissing(path: string): never {
  throw new JournalError('changed', { message: `there is no journal ${path}, or it has no rows yet` });
}
