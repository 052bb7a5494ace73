import type { Signal } from '../../internal/signal';
import { wait } from '../../internal/timers';
import type { BaselineRecord, JournalRecord, Listing, RowRange } from '../journal/records';
import { digestMessage } from '../rows/row-digests';
import type { Session } from '../session/session';
import { differenceFrom, isComplete } from './baseline';
import { KnownMessages } from './known-messages';
import { listMessages } from './listing';
import { type Candidate, UnknownRows } from './unknown-rows';

/** How unknown rows are looked for: by the latest messages, or by those between two dates. */
export type ReconcileOptions = Listing & {
  /**
   * How long after the last request the service is asked, in milliseconds: a request may still be travelling. Has to be longer
   * than the client's `timeoutMs` if a sender may have died. Default 60,000.
   */
  readonly settleMs?: number | undefined;
  readonly signal?: Signal | undefined;
  /** Called when there is a wait for requests to settle, with its milliseconds. */
  readonly onWait?: ((waitMs: number) => void) | undefined;
};

/**
 * What a reconciliation gave. Rows that were neither found nor not found stay undecided: messages are listed that may be
 * theirs, and may be others.
 */
export type Reconciliation =
  | { readonly concluded: true; readonly found: number; readonly notFound: number }
  | { readonly concluded: false; readonly reason: string };

/**
 * Looks for unknown rows among the messages that the service lists, by sender, receptor and text. A row that is found is
 * sent from then on. That a row is not found is written down as a finding.
 */
export async function reconcile(
  session: Session,
  listing: Listing,
  { settleMs, signal, onWait }: { settleMs: number } & Pick<ReconcileOptions, 'signal' | 'onWait'>,
): Promise<Reconciliation> {
  const { journal, ledger } = session;
  if (ledger.table.counts().unknown === 0) return { concluded: true, found: 0, notFound: 0 };
  const obstacle = obstacleTo(session, listing);
  if (obstacle !== undefined) return { concluded: false, reason: obstacle };
  await settle(ledger.lastRequest + settleMs, signal, onWait);
  const unknown = await UnknownRows.read(session);
  const listed = await list(session, listing, unknown, signal);
  if ('reason' in listed) return { concluded: false, reason: listed.reason };
  const { found, notFound } = unknown.explain(listed.candidates);
  if (notFound.length > 0 && !listed.reachesBack)
    return { concluded: false, reason: 'the page does not reach back to before the first row: list more messages' };
  const records: JournalRecord[] = [
    ...found.map(({ row, id }) => ({ t: 'found', row, id: String(id) }) as const),
    { t: 'not-found', rows: rangesOf(notFound) },
  ];
  for (const record of records) ledger.apply(record);
  await journal.commit(...records);
  return { concluded: true, found: found.length, notFound: notFound.length };
}

/** Why the service need not be asked; undefined if it does. */
function obstacleTo({ ledger: { table, baseline }, digests }: Session, listing: Listing): string | undefined {
  const { sent, underWay } = table.counts();
  // A worker's message could be taken for that of an unknown row with the same sender, receptor and text.
  if (underWay > 0) return `${underWay} rows are in a queue or with a worker: collect first`;
  if (baseline === undefined)
    return 'no baseline was listed before the first row was sent, so an older message could be taken for a row';
  if (!('pagesize' in listing) && digests.haveOwnDates)
    return 'rows have dates of their own, and a listing by dates may leave their messages out';
  return differenceFrom(baseline, listing) ?? (sent === 0 ? NO_CONTROL : undefined);
}

const NO_CONTROL = 'no row is known to be sent, so nothing shows that the listing is complete';

interface Listed {
  /** The messages that may be those of unknown rows. */
  readonly candidates: readonly Candidate[];
  /** Whether every message since the first row was sent is listed. */
  readonly reachesBack: boolean;
}

/** Asks the service. Gives a reason if nothing can be concluded from what it lists. */
async function list(
  session: Session,
  listing: Listing,
  unknown: UnknownRows,
  signal: AbortSignal | undefined,
): Promise<Listed | { readonly reason: string }> {
  const baseline = session.ledger.baseline as BaselineRecord;
  const known = new KnownMessages(session);
  const older = new Set(baseline.ids.map(BigInt));
  const places = { known: new Span(), older: new Span() };
  const candidates = new Map<bigint, Candidate>();
  let count = 0;
  for await (const { messageid: id, sender, receptor, message } of listMessages(session.client, listing, signal)) {
    const position = count++;
    const key = { sender, receptor, message };
    if (known.take(id, digestMessage(key))) places.known.add(position);
    else if (older.has(id)) places.older.add(position);
    // The same message may be listed twice.
    else if (unknown.resembles(key)) candidates.set(id, { id, position, ...key });
  }
  const objection = known.objection();
  if (objection !== undefined) return { reason: objection };
  // A page that is not full holds everything, and a full one everything since any message from before that it holds.
  const reachesBack = !('pagesize' in listing) || count < listing.pagesize || !places.older.isEmpty;
  if (isComplete(baseline)) return { candidates: [...candidates.values()], reachesBack };
  const isNewer = newerThan(places.older, places.known);
  if (isNewer === undefined && candidates.size > 0)
    return {
      reason: 'the order of the listing does not tell older messages from those of the rows',
    };
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

/** Waits until a time, in milliseconds since 1970. */
async function settle(
  time: number,
  signal: AbortSignal | undefined,
  onWait: ((waitMs: number) => void) | undefined,
): Promise<void> {
  const waitMs = time - Date.now();
  if (waitMs > 0) onWait?.(waitMs);
  await wait(waitMs, signal);
}

/** Rows in ascending order as ranges. */
export function rangesOf(rows: Iterable<number>): RowRange[] {
  const ranges: [number, number][] = [];
  for (const row of rows) {
    const last = ranges.at(-1);
    if (last && last[1] === row - 1) last[1] = row;
    else ranges.push([row, row]);
  }
  return ranges;
}
