import type { Signal } from '../../internal/signal';
import { wait } from '../../internal/timers';
import { digestMessage } from '../rows/digests';
import type { OpenList } from '../state/bulk-journal';
import { type BaselineRecord, type Listing, rangesOf } from '../state/records';
import { KnownMessages } from './known-messages';
import { differenceFrom, isComplete, type ListingClient, listMessages } from './listing';
import { type Candidate, UnknownRows } from './unknown-rows';

/** A listing in which unknown rows are looked for: the latest messages, or those between two dates. */
export type ReconcileOptions = Listing & {
  /**
   * The time between the last request and the listing, in milliseconds: a request may still be on its way. It must be longer than the
   * client's `timeoutMs` if a sender may have died. Default 60,000.
   */
  readonly settleMs?: number | undefined;
  readonly signal?: Signal | undefined;
  /** Called with the milliseconds to wait until requests have settled. */
  readonly onWait?: ((waitMs: number) => void) | undefined;
};

/**
 * The result of a reconciliation. Rows that were neither found nor not found stay undecided: the service lists messages that may be
 * theirs or may be others.
 */
export type Reconciliation =
  | { readonly concluded: true; readonly found: number; readonly notFound: number }
  | { readonly concluded: false; readonly reason: string };

/** Checked options of `reconcile`. */
export type ReconcileSettings = { readonly listing: Listing; readonly settleMs: number } & Pick<
  ReconcileOptions,
  'signal' | 'onWait'
>;

/**
 * Looks for unknown rows among the messages that the service lists, by sender, receptor and text. A row that is found becomes
 * sent. The rows that are not found are recorded as a finding.
 */
export async function reconcile(
  list: OpenList,
  client: ListingClient,
  { listing, settleMs, signal, onWait }: ReconcileSettings,
): Promise<Reconciliation> {
  const { journal } = list;
  if (journal.state.table.count('unknown') === 0) return { concluded: true, found: 0, notFound: 0 };
  const obstacle = obstacleTo(list, listing);
  if (obstacle !== undefined) return { concluded: false, reason: obstacle };
  const waitMs = journal.state.lastRequest + settleMs - Date.now();
  if (waitMs > 0) onWait?.(waitMs);
  await wait(waitMs, signal);
  const unknown = await UnknownRows.read(list);
  const listed = await listCandidates(list, client, listing, unknown, signal);
  if ('reason' in listed) return { concluded: false, reason: listed.reason };
  const { found, notFound } = unknown.explain(listed.candidates);
  if (notFound.length > 0 && !listed.reachesBack)
    return { concluded: false, reason: 'the page does not reach back to before the first row: list more messages' };
  for (const { row, id } of found) journal.append({ t: 'found', row, id: String(id) });
  await journal.commit({ t: 'not-found', ranges: rangesOf(notFound) });
  return { concluded: true, found: found.length, notFound: notFound.length };
}

/** The reason why a listing would prove nothing; undefined if the service is to be asked. */
function obstacleTo({ rows, journal }: OpenList, listing: Listing): string | undefined {
  const { table, baseline } = journal.state;
  const underWay = table.count('under-way');
  // A worker's message could be taken for that of an unknown row with the same sender, receptor and text.
  if (underWay > 0) return `${underWay} rows are in a queue or with a worker: collect first`;
  if (baseline === undefined)
    return 'no baseline was listed before the first row was sent, so an older message could be taken for a row';
  if (!('pagesize' in listing) && rows.digests.haveOwnDates)
    return 'rows have dates of their own, and a listing by dates may leave their messages out';
  return differenceFrom(baseline, listing) ?? (table.count('sent') === 0 ? NO_CONTROL : undefined);
}

const NO_CONTROL = 'no row is known to be sent, so nothing shows that the listing is complete';

interface Listed {
  /** The messages that may be those of unknown rows. */
  readonly candidates: readonly Candidate[];
  /** True when every message since the first row was sent is listed. */
  readonly reachesBack: boolean;
}

/** Asks the service. Returns a reason if nothing can be concluded from the listing. */
async function listCandidates(
  list: OpenList,
  client: ListingClient,
  listing: Listing,
  unknown: UnknownRows,
  signal: Signal | undefined,
): Promise<Listed | { readonly reason: string }> {
  const baseline = list.journal.state.baseline as BaselineRecord;
  const known = new KnownMessages(list);
  const older = new Set(baseline.ids.map(BigInt));
  const places = { known: new Span(), older: new Span() };
  const candidates = new Map<bigint, Candidate>();
  let count = 0;
  for await (const { messageid: id, sender, receptor, message } of listMessages(client, listing, signal)) {
    const position = count++;
    const key = { sender, receptor, message };
    if (known.mark(id, digestMessage(key))) places.known.add(position);
    else if (older.has(id)) places.older.add(position);
    // The same message may be listed twice.
    else if (unknown.resembles(key)) candidates.set(id, { id, position, ...key });
  }
  const objection = known.objection();
  if (objection !== undefined) return { reason: objection };
  // A page that is not full lists every message. A full page lists everything newer than a baseline message on it.
  const reachesBack = !('pagesize' in listing) || count < listing.pagesize || !places.older.isEmpty;
  if (isComplete(baseline)) return { candidates: [...candidates.values()], reachesBack };
  const isNewer = newerThan(places.older, places.known);
  if (isNewer === undefined && candidates.size > 0)
    return { reason: 'the order of the listing does not tell older messages from those of the rows' };
  return { candidates: [...candidates.values()].filter(({ position }) => isNewer?.(position)), reachesBack };
}

/**
 * Tells by its position whether a message is newer than those of the baseline. A baseline that was a full page left out older
 * messages, which a longer page lists.
 */
function newerThan(older: Span, known: Span): ((position: number) => boolean) | undefined {
  if (known.last < older.first) return (position) => position < older.first;
  if (known.first > older.last) return (position) => position > older.last;
  return undefined;
}

/** The first and the last of some positions in a listing. */
class Span {
  first = Number.POSITIVE_INFINITY;
  last = Number.NEGATIVE_INFINITY;

  get isEmpty(): boolean {
    return this.first > this.last;
  }

  add(position: number): void {
    this.first = Math.min(this.first, position);
    this.last = Math.max(this.last, position);
  }
}
