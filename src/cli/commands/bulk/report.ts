import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type BulkStatus,
  type Counts,
  type JournalHolder,
  type Reconciliation,
  type RowRange,
  settingsPathOf,
} from '../../../bulk';
import { quoteForShell } from '../../../internal/strings';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import type { BulkCall } from './bulk-command';
import { spellQueueOptions } from './queue-options';

/** Prints the counts and what to do next. @throws {CommandFailure} with the exit code of the counts */
export function report(call: BulkCall, status: BulkStatus): void {
  call.context.log(summaryOf(status.counts));
  advise(call, status);
}

/** Prints what to do next. @throws {CommandFailure} with the exit code of the counts */
export function advise(call: BulkCall, status: BulkStatus): void {
  printAdvice(call, status);
  const exitCode = exitCodeOf(status.counts);
  if (exitCode !== exitCodes.done) throw new CommandFailure(exitCode);
}

/** Prints the counts and what to do next, after Ctrl-C. @throws the reason of the signal */
export function reportInterruption(call: BulkCall, status: BulkStatus, { reason }: AbortSignal): never {
  call.context.log(summaryOf(status.counts));
  printAdvice(call, status);
  throw reason;
}

/** Prints what to do next. */
export function printAdvice(call: BulkCall, status: BulkStatus): void {
  for (const line of [...status.notices, ...adviceOn(call, status)]) call.context.log(line);
}

/** The exit code of the counts. */
export function exitCodeOf({ unknown, rejected, pending, 'under-way': underWay }: Counts): number {
  if (unknown > 0) return exitCodes.unknown;
  if (rejected > 0) return exitCodes.status;
  return pending + underWay > 0 ? exitCodes.notSent : exitCodes.done;
}

/** "998 of 1,000 rows sent, 2 unknown" */
export function summaryOf({
  total,
  sent,
  unknown,
  rejected,
  excluded,
  pending,
  'under-way': underWay,
}: Counts): string {
  const others = { unknown, rejected, excluded, pending, 'under way': underWay };
  const parts = Object.entries(others).flatMap(([name, count]) => (count > 0 ? [`${formatCount(count)} ${name}`] : []));
  return [`${formatCount(sent)} of ${formatRows(total)} sent`, ...parts].join(', ');
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** "1 row", "1,000 rows" */
export function formatRows(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`;
}

/** The number of ranges of rows that a line shows. */
const MAX_RANGES = 20;

/** Spells rows as `--row` takes them: "3,7-9". Rows beyond the 20th range are left out. */
function formatRanges(ranges: readonly RowRange[]): string {
  const texts = ranges.slice(0, MAX_RANGES).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return texts.join(',');
}

/** Says that unknown rows are looked for later. */
export function reportWait({ context }: BulkCall, ms: number): void {
  context.log(`waiting ${Math.ceil(ms / 1000)} s for requests to settle`);
}

/** Prints what a reconciliation has found. */
export function reportFindings({ context }: BulkCall, { found, notFound }: Reconciliation): void {
  context.log(`${formatRows(found)} found, ${formatCount(notFound)} not found`);
}

/** Prints the rows about which nothing can be concluded, the reasons, and the command for what only a person can find out. */
export function reportUndecided(call: BulkCall, undecided: Reconciliation['undecided']): void {
  const { log } = call.context;
  for (const { reason, ranges } of undecided) {
    const rows = formatRanges(ranges);
    const more = ranges.length > MAX_RANGES ? ' and more' : '';
    log(`${/^\d+$/.test(rows) ? 'row' : 'rows'} ${rows}${more} undecided: ${reason}`);
    const [sent, notSent] = ['sent', 'not-sent'].map((as) => commandsOf(call)('resolve', '--row', rows, '--as', as));
    log(`  once you know whether they were sent: ${sent} or ${notSent}`);
  }
}

/** Spells a command of this program for the same file, as a shell takes it. */
type SpellCommand = (name: string, ...options: string[]) => string;

/** The commands that need the settings of the first run. */
const needSettings = ['run', 'enqueue', 'reconcile', 'results'];

/** Makes a function that spells commands for the file of a call. */
function commandsOf({ file, flags, context }: BulkCall): SpellCommand {
  const isSaved = existsSync(settingsPathOf(file));
  // A journal of version 1.0 has no settings, so a command needs those of the first run.
  const journal = flags.journal === undefined || isSaved ? '' : `--journal ${quoteForShell(resolve(flags.journal))}`;
  return (name, ...options) =>
    `\`${[`${context.io.invocation} bulk ${name} ${quoteForShell(file)}`, journal, ...options].filter(Boolean).join(' ')}\`${
      isSaved || !needSettings.includes(name) ? '' : ' (with the options of the first run)'
    }`;
}

/** Says what to do next, in lines. */
function adviceOn(call: BulkCall, status: BulkStatus): string[] {
  const { flags, context } = call;
  const { counts, holder } = status;
  const command = commandsOf(call);
  if (holder) return [adviceOnHolder(holder, command)];
  const redis = spellQueueOptions(flags, context.io.environment);
  const lines: string[] = [];
  const missing = status.notFound;
  if (missing > 0) {
    const were = missing === 1 ? 'was' : 'were';
    lines.push(
      `${formatRows(missing)} ${were} not found: ${command('retry', '--state', 'not-found')} marks them for the next run`,
    );
  }
  if (counts.unknown > missing)
    lines.push(`${formatRows(counts.unknown - missing)} unknown: ${command('reconcile')} looks for them`);
  if (counts.rejected > 0) {
    const show = command('status', '--state', 'rejected');
    const retry = command('retry', '--state', 'rejected');
    lines.push(`${formatRows(counts.rejected)} rejected: ${show} shows why; ${retry} marks them for the next run`);
  }
  if (counts.pending > 0) {
    const run = command('run', ...(flags.untilDone ? ['--until-done'] : []));
    const next = flags.redis === undefined ? run : command('enqueue', ...redis);
    lines.push(`${formatRows(counts.pending)} pending: ${next} sends them`);
  }
  if (status.queued > 0) {
    const are = status.queued === 1 ? 'is' : 'are';
    const collect = command('collect', ...redis);
    const effect = 'writes to the journal what was sent, and takes back what no worker has claimed';
    lines.push(`${formatRows(status.queued)} ${are} in the queue or with a worker: ${collect} ${effect}`);
  }
  if (lines.length === 0) lines.push(counts.excluded > 0 ? 'all other rows are sent' : 'all rows are sent');
  return lines;
}

function adviceOnHolder({ pid, host, isElsewhere }: JournalHolder, command: SpellCommand): string {
  if (!isElsewhere) return 'a process is sending these rows: wait for it to end';
  const next = command('run', '--take-over');
  return `process ${pid} on ${host} opened the journal and did not close it; if that process has ended: ${next}`;
}
