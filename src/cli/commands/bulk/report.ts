import {
  type BulkDelivery,
  type BulkStatus,
  type Counts,
  InputError,
  type QueueRecord,
  type Reconciliation,
  type RowRange,
} from '../../../bulk';
import type { Bulk } from '../../../bulk/bulk';
import { rangesOf } from '../../../bulk/state/records';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import { type BulkCall, newFileOf, spellCommand } from './command';
import { spellSettings } from './service';

/** The exit code of the counts. */
export function exitCodeOf({ unknown, rejected, pending, 'under-way': underWay }: Counts): number {
  if (unknown > 0) return exitCodes.unknown;
  if (rejected > 0) return exitCodes.status;
  return pending + underWay > 0 ? exitCodes.notSent : exitCodes.done;
}

/** Prints the counts and the next commands. */
export function reportCounts(call: BulkCall, status: BulkStatus): void {
  call.context.log(summaryOf(status.counts));
  printAdvice(call, status);
}

/**
 * Prints the counts and the next commands.
 *
 * @throws {CommandFailure} with the exit code of the counts; the reason of an aborted signal
 */
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
  return states.flatMap((state) => {
    const count = counts[state] ?? 0;
    return count > 0 ? [`${formatCount(count)} ${state.replace('-', ' ')}`] : [];
  });
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** "1 row", "1,000 rows" */
export function formatRows(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`;
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

/** The number of ranges of rows that a command has: a command line has a greatest length. */
const MAX_RANGES = 20;

/** Spells rows as `--row` takes them: "3,7-9". Rows beyond the 20th range are left out. */
function formatRanges(ranges: readonly RowRange[]): string {
  const texts = ranges.slice(0, MAX_RANGES).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return texts.join(',');
}

/** Says what a reconciliation has found. */
export function describeFindings({ found, notFound }: Reconciliation): string {
  const pending = notFound === 0 ? '' : `: ${notFound === 1 ? 'it is' : 'they are'} pending again`;
  return `${formatRows(found)} found, ${formatCount(notFound)} not found${pending}`;
}

/** The number of rows that are shown one by one. */
const MAX_ROWS = 10;

/**
 * Prints the rows that only a person can bring to an end, with their receptors and reasons, and the commands for what
 * is found out: unknown rows that could not be decided, and rejected rows.
 */
export async function reportRemaining(call: BulkCall, bulk: Bulk): Promise<void> {
  const { log } = call.context;
  const { counts, isWorthLooking } = bulk.status();
  const undecided = isWorthLooking ? 0 : counts.unknown;
  const wanted = { unknown: Math.min(undecided, MAX_ROWS), rejected: Math.min(counts.rejected, MAX_ROWS) };
  const shown = wanted.unknown + wanted.rejected;
  try {
    if (shown > 0) {
      for await (const { row, receptor, state, reason } of bulk.results()) {
        if ((state !== 'unknown' && state !== 'rejected') || wanted[state] === 0) continue;
        wanted[state] -= 1;
        log(`row ${row} to ${receptor} is ${state === 'unknown' ? 'undecided' : state}: ${reason}`);
        if (wanted.unknown + wanted.rejected === 0) break;
      }
    }
    const hidden = undecided + counts.rejected - shown;
    const list = spellCommand(call, 'results', '--state', 'unknown,rejected');
    if (hidden > 0) log(`and ${formatCount(hidden)} more: ${list} lists all of them`);
  } catch (error) {
    // The file has changed, which was said already.
    if (!(error instanceof InputError)) throw error;
  }
}

/** Prints the next commands. */
export function printAdvice(call: BulkCall, status: BulkStatus): void {
  for (const line of [...status.notices, ...adviceOn(call, status)]) call.context.log(line);
}

/** Says what to do next, in lines. */
function adviceOn(call: BulkCall, status: BulkStatus): string[] {
  const { counts, holder, isFixed, isWorthLooking, queued, queue, unfinishedMove } = status;
  // A list of which nothing was sent reads its settings again.
  const again = isFixed ? [] : spellSettings(call.flags);
  const spell = (name: string, ...words: string[]) => spellCommand(call, name, ...words);
  if (holder?.isElsewhere) {
    const what = `process ${holder.pid} on ${holder.host} opened the journal and did not close it`;
    return [`${what}; if that process has ended: ${spell('run', '--take-over')}`];
  }
  if (holder) return [`process ${holder.pid} works on this list: wait for it to end`];
  const lines: string[] = [];
  if (counts.unknown > 0 && !isWorthLooking) {
    const rows = formatRanges(rangesOf(Array.from(status.rows('unknown'), ({ row }) => row)));
    lines.push(
      `${formatRows(counts.unknown)} undecided: ${spell('results', '--state', 'unknown')} lists them with their reasons`,
      `  when you know that rows were sent: ${spell('resolve', '--row', rows, '--as', 'sent')}`,
      `  when you know that rows were not sent: ${spell('resolve', '--row', rows, '--as', 'not-sent')}`,
    );
  }
  for (const { refusal, name, count, isTogether } of refusalsOf(status)) {
    const retry = refusal === '' ? spell('retry', '--all') : spell('retry', '--status', refusal);
    const [together, alone] = isTogether ? [' together', ', and each is sent alone'] : ['', ''];
    lines.push(`${formatRows(count)} rejected${together} (${name}): ${retry} makes them pending${alone}`);
  }
  if (counts.rejected > 0) {
    const split = spell('split', '--state', 'rejected', '--to', newFileOf(call.file));
    lines.push(`  to correct rejected rows first: ${split} moves them into a list of their own`);
  }
  if (unfinishedMove !== undefined) {
    const split = spell('split', '--state', 'pending,rejected', '--to', unfinishedMove);
    lines.push(`rows were moved to ${unfinishedMove}, and the file has no name yet: ${split} finishes it`);
  }
  if (counts.pending > 0 || (counts.unknown > 0 && isWorthLooking)) {
    const what = countsOf({ pending: counts.pending, unknown: isWorthLooking ? counts.unknown : 0 });
    const next =
      queue && counts.unknown === 0 ? spell('enqueue', ...again, ...redisOf(call, queue)) : spell('run', ...again);
    lines.push(`${what.join(', ')}: ${next} goes on`);
  }
  if (queued > 0) {
    const are = queued === 1 ? 'is' : 'are';
    const effect = 'records what was sent, and takes back what no worker has claimed';
    lines.push(
      `${formatRows(queued)} ${are} in the queue or with a worker: ${spell('collect', ...safetyOf(queue))} ${effect}`,
    );
  }
  if (queue?.hasPassword && lines.length > 0)
    lines.push('Redis has a password: set MESSAGING_REDIS_URL to its URL with the password first');
  if (lines.length === 0) lines.push(counts.moved > 0 ? 'all other rows are sent' : 'all rows are sent');
  return lines;
}

/** The options for the Redis of a list. A URL with a password is not kept, so it has to come from the variable. */
function redisOf({ context }: BulkCall, queue: QueueRecord): string[] {
  const { redis, hasPassword } = queue;
  const isFromVariable = hasPassword || Boolean(context.io.environment.MESSAGING_REDIS_URL);
  return [isFromVariable ? [] : ['--redis', redis], safetyOf(queue)].flat();
}

/** The options that say how far the Redis of a list is trusted. They are never taken over silently. */
function safetyOf({ acceptLoss = false, replicas = 0 }: Partial<QueueRecord> = {}): string[] {
  return [acceptLoss ? ['--accept-loss'] : [], replicas > 0 ? ['--replicas', String(replicas)] : []].flat();
}

/** The rejected rows by the kind of their refusal, with its name; `isTogether` when a request had several of them. */
export function refusalsOf({ rows, counts }: Pick<BulkStatus, 'rows' | 'counts'>) {
  const refusals = new Map<string, { refusal: string; name: string; count: number; isTogether: boolean }>();
  let before = 0;
  for (const { refusal, batch } of counts.rejected > 0 ? rows('rejected') : []) {
    const { count = 0, isTogether = false } = refusals.get(refusal) ?? {};
    const isShared = isTogether || batch === before;
    refusals.set(refusal, { refusal, name: nameRefusal(refusal), count: count + 1, isTogether: isShared });
    before = batch;
  }
  return [...refusals.values()];
}

/** "status 412", "HTTP status 404", "fault" */
function nameRefusal(refusal: string): string {
  if (refusal.startsWith('http-')) return `HTTP status ${refusal.slice(5)}`;
  return /^-?\d+$/.test(refusal) ? `status ${refusal}` : refusal;
}
