import { JournalError } from '../../journal/errors';
import { type Journal, openJournal } from '../../journal/journal';
import type { JournalKind } from '../../journal/records';
import type { CheckedRows } from '../rows/checked-rows';
import { BulkState } from './bulk-state';
import { type PlanOptions, planNames } from './plan';
import { type BulkRecord, type ListRecord, readRecord } from './records';

export type BulkJournal = Journal<BulkRecord, BulkState>;
/** The state of a list for reading. */
export type BulkView = BulkJournal['state'];

/** A list of rows that this process has open. */
export interface OpenList {
  readonly plan: PlanOptions;
  readonly rows: CheckedRows;
  readonly journal: BulkJournal;
}

export const bulkKind: JournalKind<BulkRecord, BulkState> = {
  knowledge: 'what was sent',
  createState: () => new BulkState(),
  readRecord,
};

/**
 * Opens the journal of a list.
 *
 * @param expected the list that the journal must belong to; it is made if it does not exist. Without a list it must exist.
 * @throws {JournalError}
 */
export function openBulkJournal(
  path: string,
  takeOver: boolean,
  expected?: Omit<ListRecord, 't'>,
): Promise<BulkJournal> {
  const start = ({ list }: BulkState): readonly BulkRecord[] => {
    if (list && expected) checkUnchanged(path, list, expected);
    if (list) return [];
    if (expected) return [{ t: 'bulk', ...expected }];
    throw noJournal(path);
  };
  return openJournal({ path, kind: bulkKind, takeOver, start });
}

export function noJournal(path: string): JournalError {
  return new JournalError('changed', { message: `there is no journal ${path}, or it has no rows yet` });
}

type ExpectedList = Omit<ListRecord, 't'>;

/** What identifies a list: its rows, and the options that decide on requests. */
export function identityOf({ digests }: CheckedRows, plan: PlanOptions): ExpectedList {
  const sha256 = digests.fingerprint(planNames.map((name) => plan[name]));
  return { sha256, total: digests.count, options: plan };
}

/** @throws {JournalError} when the journal belongs to another list */
export function checkUnchanged(path: string, { sha256, total, options }: ExpectedList, expected: ExpectedList): void {
  const changed = planNames
    .filter((name) => options[name] !== expected.options[name])
    .map((option) => ({
      option: option as string,
      message: `was ${options[option]} and is ${expected.options[option]}`,
    }));
  if (total !== expected.total) {
    changed.push({ option: 'input', message: `the number of rows was ${total} and is ${expected.total}` });
  } else if (changed.length === 0 && sha256 !== expected.sha256) {
    changed.push({ option: 'input', message: 'a row, a field or a template has changed' });
  }
  if (changed.length === 0) return;
  const advice =
    'use the same file and options as before, or put other rows in another file; do not delete the journal, because it knows what was sent';
  const journal = { option: 'journal', message: `${path} belongs to other rows: ${advice}` };
  throw new JournalError('changed', { problems: [...changed, journal] });
}
