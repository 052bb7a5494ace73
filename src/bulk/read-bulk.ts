import { JournalError } from './journal/journal-errors';
import { holderOf, type JournalHolder } from './journal/open-journal';
import { readJournal } from './journal/read-journal';
import type { Listing, PlanOptions } from './journal/records';
import type { Counts, RowState } from './journal/row-table';
import { parseListing } from './reconciling/listing';
import { type BulkRow, listRows } from './row-list';

/** What a journal says. */
export interface BulkStatus {
  readonly options: PlanOptions;
  readonly counts: Counts;
  /** Whether a process has it open, or may have on another host. */
  readonly isOpen: boolean;
  /** That process; undefined when there is none. */
  readonly holder: JournalHolder | undefined;
  /** How messages were listed before anything was sent; undefined when they were not. */
  readonly baseline: Listing | undefined;
  /** Rows under way that are in a queue or with one of its workers; `collectBulk` tells what became of them. */
  readonly queued: number;
  /** Unknown rows that the last sound reconciliation did not find. */
  readonly notFound: number;
  /** The rows that stand in a state, or all, in their order. */
  rows(state?: RowState): IterableIterator<BulkRow>;
}

/**
 * Reads a journal and writes nothing, also while another process sends.
 *
 * @throws {JournalError}
 */
export async function readBulk(path: string): Promise<BulkStatus> {
  const found = await readJournal(path);
  if (found?.bulk === undefined)
    throw new JournalError('changed', `there is no journal ${path}, or it has no rows yet`);
  const { ledger, bulk } = found;
  const holder = holderOf(found);
  if (holder === undefined) ledger.abandon();
  const { table, baseline } = ledger;
  let notFound = 0;
  for (let row = 1; row <= table.rows; row++) if (table.isMissing(row)) notFound += 1;
  return {
    options: bulk.options,
    counts: table.counts(),
    isOpen: holder !== undefined,
    holder,
    baseline: baseline && parseListing(baseline.listing),
    queued: ledger.queued.countRows(),
    notFound,
    rows: (state) => listRows({ ledger, options: bulk.options }, state),
  };
}
