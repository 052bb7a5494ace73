import type { BulkStatus, Counts, JournalHolder } from '../../../bulk';
import { quoteForShell } from '../../../internal/strings';
import { flagOf } from '../../fields/option-names';
import { CommandFailure, exitCodes } from '../../terminal/failure';
import type { BulkCall, BulkFlags } from './bulk-command';
import { rowFields } from './options';

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

function printAdvice(call: BulkCall, status: BulkStatus): void {
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

/** Spells a command of this program for the same file and journal. */
type SpellCommand = (name: string, options: string) => string;

/** Says what to do next, in lines. */
function adviceOn({ file, flags, context }: BulkCall, status: BulkStatus): string[] {
  const { counts, holder } = status;
  const command = (name: string, options: string) =>
    [`${context.io.invocation} bulk ${name} ${quoteForShell(file)}`, ...givenTexts(flags, ['journal']), options]
      .join(' ')
      .trimEnd();
  if (holder) return [adviceOnHolder(holder, command)];
  const lines: string[] = [];
  const missing = status.notFound;
  if (missing > 0) {
    const were = missing === 1 ? 'was' : 'were';
    lines.push(
      `${formatRows(missing)} ${were} not found: \`${command('retry', '--state not-found')}\`, then run again`,
    );
  }
  if (counts.unknown > missing) {
    // A reconciliation needs the fields to know the rows again.
    const fields = [...rowFields().spellGiven({ ...flags }), ...givenTexts(flags, ['defaults', 'dates'])];
    lines.push(adviceOnUnknown(status, counts.unknown - missing, command, fields.join(' ')));
  }
  if (counts.rejected > 0) {
    const show = command('status', '--state rejected');
    const retry = command('retry', '--state rejected');
    lines.push(
      `${formatRows(counts.rejected)} rejected: \`${show}\` shows why; \`${retry}\` marks them for the next run`,
    );
  }
  if (counts.pending > 0) {
    const next = flags.redis === undefined ? 'run again' : 'enqueue again';
    lines.push(`${formatRows(counts.pending)} pending: ${next}`);
  }
  if (status.queued > 0) {
    const are = status.queued === 1 ? 'is' : 'are';
    const collect = command('collect', spellRedis(flags, context.io.environment));
    lines.push(`${formatRows(status.queued)} ${are} in the queue or with a worker: \`${collect}\``);
  }
  if (lines.length === 0) lines.push('all rows are sent');
  return lines;
}

function adviceOnHolder({ pid, host, isElsewhere }: JournalHolder, command: SpellCommand): string {
  if (!isElsewhere) return 'a process is sending these rows: wait for it to end';
  const next = `\`${command('run', '--take-over')}\` (with the options of the first run)`;
  return `process ${pid} on ${host} opened the journal and did not close it; if that process has ended: ${next}`;
}

function adviceOnUnknown(
  { baseline, counts }: BulkStatus,
  unknown: number,
  command: SpellCommand,
  fields: string,
): string {
  const rows = `${formatRows(unknown)} unknown`;
  if (baseline === undefined) {
    const show = command('status', '--state unknown');
    return `${rows}: no baseline was listed before the first row was sent, so look for them by hand: \`${show}\``;
  }
  // The page reaches back to a message of the baseline, if nobody else sends.
  const listing =
    'pagesize' in baseline
      ? `--pagesize ${baseline.pagesize + counts.sent + counts.unknown}`
      : `--start-unixdate ${baseline.startUnixdate} --end-unixdate ${baseline.endUnixdate}`;
  const hint = fields === '' ? ' (with the fields of the first run)' : '';
  return `${rows}: \`${command('reconcile', [fields, listing].filter(Boolean).join(' '))}\` looks for them${hint}`;
}

/** Spells --redis, without a URL that has a password, or a user that may be one. A variable needs no option. */
function spellRedis({ redis }: BulkFlags, { MESSAGING_REDIS_URL }: NodeJS.ProcessEnv): string {
  if (redis === undefined) return MESSAGING_REDIS_URL ? '' : '--redis URL';
  const { username, password } = new URL(redis);
  return `--redis ${username + password === '' ? quoteForShell(redis) : 'URL'}`;
}

/** Spells options as they were given. */
function givenTexts(flags: BulkFlags, names: readonly ('journal' | 'defaults' | 'dates')[]): string[] {
  return names.flatMap((name) => {
    const text = flags[name];
    return text === undefined ? [] : [`${flagOf(name)} ${quoteForShell(text)}`];
  });
}
