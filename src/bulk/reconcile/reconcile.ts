import { addToGroup } from '../../internal/groups';
import type { Signal } from '../../internal/signals';
import { wait } from '../../internal/signals';
import type { BulkView, OpenList } from '../state/bulk-journal';
import { type BulkRecord, type Listing, type RowRange, rangesOf } from '../state/records';
import { conclude, type Reason, type RowVerdict, type Rules, reasons } from './conclude';
import { readFacts } from './facts';
import { ListedMessages } from './listed-messages';
import { firstListing, type ListingClient, latestPage, listMessages, MAX_PAGESIZE } from './listing';

/** How unknown rows are looked for. */
export interface ReconcileOptions {
  /**
   * The listing in which the rows are looked for: the latest messages, or those between two dates. Default: a listing that reaches back
   * to before the list; it grows while a longer one may tell more.
   */
  readonly listing?: Listing | undefined;
  /**
   * The time that passes since the last request and since this process opened the journal, before the service is asked, in
   * milliseconds: a request may still be on its way. It must be longer than the client's `timeoutMs` if a sender may have died.
   * Default 60,000.
   */
  readonly settleMs?: number | undefined;
  readonly signal?: Signal | undefined;
  /** Called with the milliseconds to wait until requests have settled. */
  readonly onWait?: ((waitMs: number) => void) | undefined;
}

/** The result of a reconciliation, in rows. */
export interface Reconciliation {
  /** The number of rows that the service has: they are sent. */
  readonly found: number;
  /** The number of rows that the service provably does not have: `retry` makes them pending. */
  readonly notFound: number;
  /** The rows that are still unknown, by the reason. The reason also says what would decide them. */
  readonly undecided: readonly Undecided[];
}

/** Rows about which nothing can be concluded. */
export interface Undecided {
  readonly reason: string;
  readonly ranges: readonly RowRange[];
}

/** Checked options of `reconcile`. */
export type ReconcileSettings = { readonly listing: Listing | undefined; readonly settleMs: number } & Pick<
  ReconcileOptions,
  'signal' | 'onWait'
>;

/**
 * Looks for unknown rows among the messages that the service lists. A row that is found becomes sent. The rows that the service
 * provably does not have are recorded as a finding.
 */
export async function reconcile(
  list: OpenList,
  client: ListingClient,
  { listing, settleMs, signal, onWait }: ReconcileSettings,
): Promise<Reconciliation> {
  const { state } = list.journal;
  if (state.table.count('unknown') === 0) return { found: 0, notFound: 0, undecided: [] };
  const waitMs = state.lastRequestAt + settleMs - performance.now();
  if (waitMs > 0) onWait?.(waitMs);
  await wait(waitMs, signal);
  return reconcileSettled(list, client, { listing, signal });
}

/** Reconciles once no request of an unknown row can be under way. */
export async function reconcileSettled(
  list: OpenList,
  client: ListingClient,
  { listing, signal, rules }: Pick<ReconcileSettings, 'listing' | 'signal'> & { readonly rules?: Rules },
): Promise<Reconciliation> {
  const { journal } = list;
  const underWay = journal.state.table.count('under-way');
  if (underWay > 0) {
    // A worker's message could be taken for that of an unknown row.
    const reason = `${underWay} rows are in a queue or with a worker: collect first`;
    const { table } = journal.state;
    const ranges = rangesOf(table.filter((row) => table.state(row) === 'unknown'));
    return { found: 0, notFound: 0, undecided: [{ reason, ranges }] };
  }
  await journal.commit({ t: 'settled' });
  let facts = await readFacts(list);
  let [found, notFound] = [0, 0];
  let undecided = new Map<Reason, number[]>();
  let next: Listing | undefined = listing ?? firstListing(journal.state);
  let listedBefore = -1;
  while (next !== undefined && facts.rows.length > 0) {
    const isPage: boolean = 'pagesize' in next;
    const listed = new ListedMessages(facts);
    let count = 0;
    for await (const message of listMessages(client, next, signal)) {
      count += 1;
      listed.add(message);
    }
    const verdicts = conclude(facts, listed, isPage, rules);
    const absent = verdicts.flatMap(({ row, is }) => (is === 'not-found' ? row : []));
    const present = verdicts.filter((verdict) => verdict.is === 'found');
    const records = present.map(({ row, id }): BulkRecord => ({ t: 'found', row, id: String(id) }));
    await journal.commit(...records, { t: 'not-found', ranges: rangesOf(absent) });
    [found, notFound] = [found + present.length, notFound + absent.length];
    undecided = groupByReason(verdicts);
    const isOpen = new Set([...undecided.values()].flat());
    facts = { ...facts, rows: facts.rows.filter(({ row }) => isOpen.has(row)) };
    const hasMore = count > listedBefore && [...undecided.keys()].some((reason) => mayNeedMore.has(reason));
    next = listing === undefined && hasMore ? longerListing(next, count, journal.state) : undefined;
    listedBefore = isPage ? count : -1;
  }
  const byReason = [...undecided].map(([reason, rows]) => ({ reason: reasons[reason], ranges: rangesOf(rows) }));
  return { found, notFound, undecided: byReason };
}

/** The reasons that a longer listing may remove. */
const mayNeedMore: ReadonlySet<Reason> = new Set([
  'may-be-older',
  'no-order',
  'no-older',
  'gap',
  'no-peer',
  'no-newer',
]);

/** A listing with more messages; undefined when the service has listed fewer messages than it was asked for. */
function longerListing(last: Listing, count: number, state: BulkView): Listing | undefined {
  if (!('pagesize' in last)) return latestPage(state);
  const isFull = count >= last.pagesize && last.pagesize < MAX_PAGESIZE;
  return isFull ? { pagesize: Math.min(last.pagesize * 4, MAX_PAGESIZE) } : undefined;
}

function groupByReason(verdicts: readonly RowVerdict[]): Map<Reason, number[]> {
  const groups = new Map<Reason, number[]>();
  for (const verdict of verdicts) {
    if (verdict.is === 'undecided') addToGroup(groups, verdict.reason, verdict.row);
  }
  return groups;
}
