import {
  type BulkDelivery,
  type BulkStatus,
  type Counts,
  InputError,
  type Reconciliation,
  type RowRange,
} from '../../../bulk';
import type { Bulk } from '../../../bulk/bulk';
import { rangesOf } from '../../../bulk/state/records';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import { type BulkCall, newFileOf, spellCommand, spellOption } from './command';
import { spellSettings } from './service';

export function exitCodeOf({ unknown, rejected, pending, 'under-way': underWay }: Counts): number {
  if (unknown > 0) return exitCodes.unknown;
  if (rejected > 0) return exitCodes.status;
  return pending + underWay > 0 ? exitCodes.notSent : exitCodes.done;
}

export function reportCounts(call: BulkCall, status: BulkStatus): void {
  call.context.log(summaryOf(status.counts));
  printAdvice(call, status);
}

/** @throws {CommandFailure} with the exit code of the counts; the reason of an aborted signal */
export function report(call: BulkCall, status: BulkStatus, signal?: AbortSignal): void {
  reportCounts(call, status);
  signal?.throwIfAborted();
  const exitCode = exitCodeOf(status.counts);
  if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
}

/** "998 of 1,000 rows sent, 2 unknown" */
export function summaryOf({ total, sent, ...others }: Counts): string {
  return [`${formatCount(sent)} of ${formatRows(total)} sent`, ...countsOf(others)].join(', ');
}

/** The counts that are not 0: "2 unknown", "1 under way". */
export function countsOf(counts: Partial<Counts>): string[] {
  const states = ['sent', 'unknown', 'rejected', 'moved', 'pending', 'under-way'] as const;
  return states
    .filter((state) => counts[state])
    .map((state) => `${formatCount(counts[state] as number)} ${state.replace('-', ' ')}`);
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** "1 row", "1,000 rows" */
export function formatRows(count: number): string {
  return formatAmount(count, 'row');
}

export function formatAmount(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** The rows by status in one line: `10: 990 rows, 11: 10 rows`. */
export function describeDelivery({ statuses, unasked, withoutId }: BulkDelivery): string {
  const counts = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `status ${status}: ${formatRows(count)}`);
  if (unasked > 0) counts.push(`no status yet: ${formatRows(unasked)}`);
  if (withoutId > 0) counts.push(`no id of their own: ${formatRows(withoutId)}`);
  return counts.length > 0 ? counts.join(', ') : 'no row is sent';
}

export function describeFindings({ found, notFound }: Reconciliation): string {
  const pending = notFound === 0 ? '' : `: ${notFound === 1 ? 'it is' : 'they are'} pending again`;
  return `${formatRows(found)} found, ${formatCount(notFound)} not found${pending}`;
}

/** The number of rows that are shown one by one. */
const MAX_ROWS = 10;

/** Prints the rows that only a person can bring to an end: undecided and rejected rows. */
export async function reportRemaining(call: BulkCall, bulk: Bulk): Promise<void> {
  const { log } = call.context;
  const { counts, isWorthLooking } = bulk.status();
  const remaining = counts.rejected + (isWorthLooking ? 0 : counts.unknown);
  if (remaining === 0) return;
  let shown = 0;
  try {
    for await (const { row, receptor, state, reason } of bulk.results()) {
      if (state !== 'rejected' && (state !== 'unknown' || isWorthLooking)) continue;
      log(`row ${row} to ${receptor} is ${state === 'unknown' ? 'undecided' : state}: ${reason}`);
      shown += 1;
      if (shown === Math.min(remaining, MAX_ROWS)) break;
    }
  } catch (error) {
    // The file has changed, which was said already.
    if (!(error instanceof InputError)) throw error;
  }
  const list = spellCommand(call, 'results', '--state', 'unknown,rejected');
  if (remaining > shown) log(`and ${formatCount(remaining - shown)} more: ${list} lists all of them`);
}

export function printAdvice(call: BulkCall, status: BulkStatus): void {
  for (const line of [...status.notices, ...adviceOn(call, status)]) call.context.log(line);
}

function* adviceOn(call: BulkCall, status: BulkStatus): Generator<string> {
  const { counts, holder, isFixed, isWorthLooking, queued, queue, unfinishedMove } = status;
  const spell = (name: string, ...words: string[]) => spellCommand(call, name, ...words);
  if (holder) {
    const { pid, host, isElsewhere } = holder;
    const ended = `if that process has ended: ${spell('run', '--take-over')}`;
    yield isElsewhere
      ? `process ${pid} on ${host} opened the journal and did not close it; ${ended}`
      : `process ${pid} works on this list: wait for it to end`;
    return;
  }
  if (counts.unknown > 0 && !isWorthLooking) {
    const rows = formatRanges(rangesOf(Array.from(status.rows('unknown'), ({ row }) => row)));
    const list = spell('results', '--state', 'unknown');
    yield `${formatRows(counts.unknown)} undecided: ${list} lists them with their reasons`;
    yield `  when you know that rows were sent: ${spell('resolve', '--row', rows, '--as', 'sent')}`;
    yield `  when you know that rows were not sent: ${spell('resolve', '--row', rows, '--as', 'not-sent')}`;
  }
  for (const [refusal, count] of refusalsOf(status)) {
    const retry = refusal === '' ? spell('retry', '--all') : spell('retry', '--status', refusal);
    yield `${formatRows(count)} rejected (${nameRefusal(refusal)}): ${retry} makes them pending`;
  }
  if (counts.rejected > 0) {
    const split = spell('split', '--state', 'rejected', '--to', newFileOf(call.file));
    yield `  to correct rejected rows first: ${split} moves them into a list of their own`;
  }
  if (unfinishedMove !== undefined) {
    const split = spell('split', '--state', 'pending,rejected', '--to', unfinishedMove);
    yield `rows were moved to ${unfinishedMove}, and the file has no name yet: ${split} finishes it`;
  }
  const next = countsOf({ pending: counts.pending, unknown: isWorthLooking ? counts.unknown : 0 });
  // A list of which nothing was sent reads its settings again.
  if (next.length > 0)
    yield `${next.join(', ')}: ${spell('run', ...(isFixed ? [] : spellSettings(call.flags)))} goes on`;
  if (queued > 0) {
    // Never taken over silently: they say how far Redis is trusted.
    const { acceptLoss, replicas } = queue ?? {};
    const collect = spell(
      'collect',
      ...spellOption('acceptLoss', acceptLoss),
      ...spellOption('replicas', replicas || undefined),
    );
    const are = `${queued === 1 ? 'is' : 'are'} in the queue or with a worker`;
    const effect = 'records what was sent, and takes back what no worker has claimed';
    yield `${formatRows(queued)} ${are}: ${collect} ${effect}`;
    if (queue?.hasPassword) yield 'Redis has a password: set MESSAGING_REDIS_URL to its URL with the password first';
  }
  if (counts.sent + counts.moved === counts.total)
    yield counts.moved > 0 ? 'all other rows are sent' : 'all rows are sent';
}

/** The number of ranges of rows that a command has: a command line has a greatest length. */
const MAX_RANGES = 20;

/** Spells rows as `--row` takes them: "3,7-9". Rows beyond the 20th range are left out. */
function formatRanges(ranges: readonly RowRange[]): string {
  const shown = ranges.slice(0, MAX_RANGES);
  return shown.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/** The number of rejected rows of each refusal. */
export function refusalsOf(status: BulkStatus): ReadonlyMap<string, number> {
  const refusals = new Map<string, number>();
  for (const { refusal } of status.rows('rejected')) refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
  return refusals;
}

/** "status 412", "HTTP status 404", "fault" */
export function nameRefusal(refusal: string): string {
  if (refusal.startsWith('http-')) return `HTTP status ${refusal.slice(5)}`;
  return /^-?\d+$/.test(refusal) ? `status ${refusal}` : refusal;
}
