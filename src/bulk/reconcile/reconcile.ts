import { MessagingError } from '../../errors';
import { MAX_DELAY_MS, type Signal, wait } from '../../internal/signals';
import { signalOption, unchecked, wholeNumber } from '../../options/checks';
import type { FlagTable, GivenOptions } from '../../options/table';
import { addToGroup } from '../groups';
import type { List } from '../list/list';
import { type BulkRecord, type RowRange, rangesOf } from '../state/records';
import { conclude, type Reason, type Rules, reasons } from './conclude';
import { Evidence } from './evidence';
import { type Facts, readFacts, type SoughtRow } from './facts';
import { ListedMessages, type UnexplainedMessage } from './listed-messages';
import { type ListingClient, latestPage, listMessages, MAX_PAGESIZE } from './listing';

export const settleOption = {
  /**
   * The time that passes since the last request and since this process opened the journal, before the service is asked
   * for unknown rows, in milliseconds: a request may still be on its way. It must be longer than the client's
   * `timeoutMs` if a sender may have died. Default 60,000.
   */
  settleMs: {
    read: wholeNumber(1, MAX_DELAY_MS),
    default: 60_000,
    flag: { value: 'ms', help: 'wait this long after a request before looking for its rows' },
  },
} as const satisfies FlagTable;

export const waitOption = {
  /** Called with the milliseconds to wait until unknown rows are looked for. */
  onWait: unchecked<(waitMs: number) => void>(),
} as const;

const ownOptions = {
  /** Ends the waiting and the listing. */
  signal: signalOption,
} as const;

export const reconcileOptions = { ...settleOption, ...waitOption, ...ownOptions } as const;

/** How unknown rows are looked for. */
export interface ReconcileOptions
  extends GivenOptions<typeof settleOption>,
    GivenOptions<typeof waitOption>,
    GivenOptions<typeof ownOptions> {}

type ReconcileSettings = ReconcileOptions & { readonly settleMs: number };

/** The result of a reconciliation, in rows. */
export interface Reconciliation {
  /** The number of rows that the service has: they are sent. */
  readonly found: number;
  /** The number of rows that the service provably does not have. */
  readonly notFound: number;
  /** The rows that are still unknown, by the reason. The reason also says what would decide them. */
  readonly undecided: readonly Undecided[];
}

/** Rows about which nothing can be concluded. */
export interface Undecided {
  readonly reason: string;
  readonly ranges: readonly RowRange[];
}

/**
 * Looks for unknown rows among the messages that the service lists, and records what is concluded: a row that is found
 * becomes sent, a row that the service provably does not have becomes pending, and the other rows keep the reason why
 * nothing can be concluded.
 */
export async function reconcile(
  list: List,
  client: ListingClient,
  options: ReconcileSettings & { readonly rules?: Rules },
): Promise<Reconciliation> {
  const { signal, rules } = options;
  const { journal } = list;
  const { table } = journal.state;
  const underWay = table.count('under-way');
  if (underWay > 0) {
    // A worker's message could be taken for that of an unknown row.
    const reason = `${underWay} rows are in a queue or with a worker: collect first`;
    const ranges = rangesOf(table.filter((row) => table.state(row) === 'unknown'));
    return { found: 0, notFound: 0, undecided: [{ reason, ranges }] };
  }
  await settle(list, options);
  let facts = await readFacts(list, signal);
  let [found, notFound, lastCount] = [0, 0, 0];
  let undecided: readonly Undecided[] = [];
  // A page of the latest messages that reaches back to before the list. It grows while a longer one may tell more.
  for (let next: number | undefined = latestPage(journal.state); next !== undefined; ) {
    const evidence = await readListing(client, facts, next, signal);
    const conclusions = await conclude(evidence, rules, signal);
    const records = conclusions.found.map(({ row, id }): BulkRecord => ({ t: 'known-sent', row, id: String(id) }));
    await journal.commit([...records, { t: 'not-found', ranges: rangesOf(conclusions.notFound) }]);
    found += records.length;
    notFound += conclusions.notFound.length;
    undecided = reasonsOf(evidence, conclusions, table.count('pending') > 0);
    const open = facts.rows.filter(({ row, isUnknown }) => !isUnknown || table.state(row) === 'unknown');
    facts = { ...facts, rows: open };
    const mayDecide = [...conclusions.undecided.keys()].some((reason) => mayNeedMore.has(reason));
    next = mayDecide ? longerPage(evidence, lastCount) : undefined;
    lastCount = evidence.listed.all.length;
  }
  const again = facts.awaited.size > 0 && { again: true };
  await journal.commit(undecided.map((each) => ({ t: 'undecided', ...each, ...again }) as const));
  return { found, notFound, undecided };
}

/** The number of listed messages that are named for a row. */
const MAX_FITTING = 3;

/** The reasons why rows are undecided, in words, with the listed messages that fit: a person can look at them. */
function reasonsOf(
  evidence: Evidence,
  { found, undecided }: Awaited<ReturnType<typeof conclude>>,
  hasPending: boolean,
): readonly Undecided[] {
  const taken = new Set(found.map(({ id }) => id));
  const sought = new Map(evidence.facts.rows.map((row) => [row.row, row]));
  const rowsByReason = new Map<string, number[]>();
  for (const [reason, rows] of undecided) {
    const words = `${reasons[reason]}: ${adviceOn(reason, hasPending)}`;
    for (const row of rows) {
      const fitting = evidence.fitting(sought.get(row) as SoughtRow).filter(({ id }) => !taken.has(id));
      const named = fitting.slice(0, MAX_FITTING).map(describeMessage);
      const more = fitting.length > MAX_FITTING ? ', and more' : '';
      const listed = named.length > 0 ? `; listed with its receptor and text: ${named.join('; ')}${more}` : '';
      addToGroup(rowsByReason, words + listed, row);
    }
  }
  return Array.from(rowsByReason, ([reason, rows]) => ({ reason, ranges: rangesOf(rows) }));
}

function describeMessage({ id, date, status }: UnexplainedMessage): string {
  return `id ${id}, date ${date}${status === undefined ? '' : `, status ${status}`}`;
}

/** Waits until the requests of unknown rows have settled. */
export async function settle({ lastRequestAt }: List, { settleMs, onWait, signal }: ReconcileSettings): Promise<void> {
  const waitMs = lastRequestAt + settleMs - performance.now();
  if (waitMs > 0) onWait?.(waitMs);
  await wait(waitMs, signal);
}

/** Reads a page of one message, to see later whether the listing reaches the newest one, and then the listing. */
async function readListing(
  client: ListingClient,
  facts: Facts,
  pagesize: number,
  signal: Signal | undefined,
): Promise<Evidence> {
  const latest: bigint[] = [];
  try {
    for await (const { messageid } of listMessages(client, 1, signal)) latest.push(messageid);
  } catch (error) {
    // A service that refuses this page may still list longer ones.
    if (!(error instanceof MessagingError) || error.outcome !== 'rejected') throw error;
    latest.length = 0;
  }
  const listed = new ListedMessages(facts, pagesize, latest);
  for await (const message of listMessages(client, pagesize, signal)) listed.add(message);
  return new Evidence(listed);
}

/** The reasons that a longer listing may remove. */
const mayNeedMore: ReadonlySet<Reason> = new Set(['order', 'older', 'olderDate', 'newest', 'comparable', 'doubled']);

/**
 * The size of a longer page; undefined when every known message is listed, or the service has no more messages than the
 * last page had.
 */
function longerPage({ listed, hasAllKnown }: Evidence, lastCount: number): number | undefined {
  const { pagesize, all } = listed;
  const isFull = all.length >= pagesize && all.length > lastCount && pagesize < MAX_PAGESIZE;
  return isFull && !hasAllKnown ? Math.min(pagesize * 4, MAX_PAGESIZE) : undefined;
}

/** Says what would decide a row. */
function adviceOn(reason: Reason, hasPending: boolean): string {
  if (reason === 'awaited') return 'collect that list, or wait for its end, then run this one again';
  return reason === 'order' && hasPending
    ? 'send more rows, then look again'
    : 'only the page of your provider can tell';
}
