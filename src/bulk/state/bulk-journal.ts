import { JournalError } from '../../journal/errors';
import type { Journal } from '../../journal/journal';
import type { JournalKind } from '../../journal/records';
import { BulkState } from './bulk-state';
import { type BulkRecord, readRecord } from './records';

export type BulkJournal = Journal<BulkRecord, BulkState>;
/** The state of a list for reading. */
export type BulkView = BulkJournal['state'];

export const bulkKind: JournalKind<BulkRecord, BulkState> = {
  name: 'bulk',
  knowledge: 'what was sent',
  createState: () => new BulkState(),
  readRecord,
};

/** @throws {JournalError} */
export function refuseMissing(path: string): never {
  throw new JournalError('changed', { message: `there is no journal ${path}, or it has no rows yet` });
}
