import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalRecord, Listing, RowRange } from '../journal/records';
import { digestMessage } from '../rows/row-digests';
import type { Session } from '../session/session';
import { reachesBeyond } from './baseline';
import { KnownMessages } from './known-messages';
import { listMessages } from './listing';

/** How unknown rows are looked for: by the latest messages, or by those between two dates. */
export type ReconcileOptions = Listing & {
  /** How long after the last intent the service is asked, in milliseconds: a request may still be travelling. Default 60,000. */
  readonly settleMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told when there is a wait for requests to settle, in milliseconds. */
  readonly onWait?: ((waitMs: number) => void) | undefined;
};

/** What a reconciliation gave. */
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
  const { client, journal, ledger } = session;
  const { table, baseline } = ledger;
  const { unknown: unknownCount, underWay } = table.counts();
  if (unknownCount === 0) return { concluded: true, found: 0, notFound: 0 };
  // A worker's message could be taken for that of an unknown row with the same sender, receptor and text.
  if (underWay > 0)
    return { concluded: false, reason: `${underWay} rows are in a queue or with a worker: collect first` };
  const known = new KnownMessages(session);
  const reason =
    baseline === undefined
      ? 'no baseline was listed before the first row was sent, so an older message could be taken for a row'
      : (reachesBeyond(baseline, listing, known.count) ?? (known.count === 0 ? known.objection() : undefined));
  if (baseline === undefined || reason !== undefined) return { concluded: false, reason: reason as string };

  await settle(ledger.lastIntent + settleMs, signal, onWait);
  const older = new Set(baseline.ids.map(BigInt));
  const unknown = unknownRows(session);
  const records: JournalRecord[] = [];
  for await (const record of listMessages(client, listing, signal)) {
    const message = digestMessage(record);
    if (known.take(record.messageid, message) || older.has(record.messageid)) continue;
    const row = unknown.get(message)?.pop();
    if (row === undefined) continue;
    records.push({ t: 'found', row, id: String(record.messageid) });
    // The same message may be listed twice.
    older.add(record.messageid);
  }
  const objection = known.objection();
  if (objection !== undefined) return { concluded: false, reason: objection };
  const missing = [...unknown.values()].flat().sort((a, b) => a - b);
  const found = records.length;
  records.push({ t: 'not-found', rows: rangesOf(missing) });
  for (const record of records) ledger.apply(record);
  await journal.commit(...records);
  return { concluded: true, found, notFound: missing.length };
}

/** Waits until a time, in milliseconds since 1970. */
async function settle(
  time: number,
  signal: AbortSignal | undefined,
  onWait: ((waitMs: number) => void) | undefined,
): Promise<void> {
  const wait = time - Date.now();
  if (wait <= 0) return;
  onWait?.(wait);
  await sleep(wait, undefined, signal ? { signal } : undefined);
}

/** The rows that are looked for, by message. Equal ones are taken from the first. */
function unknownRows({ ledger: { table }, digests }: Session): Map<bigint, number[]> {
  const rows = new Map<bigint, number[]>();
  for (let row = table.rows; row >= 1; row--) {
    if (table.state(row) !== 'unknown') continue;
    const message = digests.message(row);
    const equal = rows.get(message);
    if (equal) equal.push(row);
    else rows.set(message, [row]);
  }
  return rows;
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
