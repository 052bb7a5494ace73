import type { BulkStatus, Counts, JournalHolder } from '../../../bulk';
import { quoteForShell } from '../../../internal/strings';
import { kebabCase } from '../../fields/option-names';
import { exitCodes } from '../../terminal/failure';
import { type BulkFlags, rowFields } from './options';

/** The exit code that the counts ask for. */
export function exitCodeOf({ unknown, rejected, pending, underWay }: Counts): number {
  if (unknown > 0) return exitCodes.unknown;
  if (rejected > 0) return exitCodes.status;
  return pending + underWay > 0 ? exitCodes.notSent : exitCodes.done;
}

/** "998 of 1,000 rows sent, 2 unknown" */
export function summaryOf({ rows, sent, unknown, rejected, pending, underWay }: Counts): string {
  const others = { unknown, rejected, pending, 'under way': underWay };
  const parts = Object.entries(others).flatMap(([name, count]) => (count > 0 ? [`${formatCount(count)} ${name}`] : []));
  return [`${formatCount(sent)} of ${formatRows(rows)} sent`, ...parts].join(', ');
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** "1 row", "1,000 rows" */
export function formatRows(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`;
}

/** A command line of this program for the same file and journal. */
type SpellCommand = (name: string, options: string) => string;

/** What to do next, in lines. */
export function adviceOn(status: BulkStatus, file: string, flags: BulkFlags, invocation: string): string[] {
  const { counts, holder } = status;
  const command = (name: string, options: string) =>
    [`${invocation} bulk ${name} ${quoteForShell(file)}`, ...optionOf(flags, 'journal'), options].join(' ').trimEnd();
  if (holder) return [adviceOnHolder(holder, command)];
  const lines: string[] = [];
  const missing = status.notFound;
  if (missing > 0) {
    lines.push(
      `${formatRows(missing)} ${missing === 1 ? 'was' : 'were'} not found: \`${command('again', '--state not-found')}\`, then run again`,
    );
  }
  // What a reconciliation needs to know the rows again.
  const fields = [...rowFields().spellGiven(flags), ...optionOf(flags, 'defaults'), ...optionOf(flags, 'dates')];
  if (counts.unknown > missing)
    lines.push(adviceOnUnknown(status, counts.unknown - missing, command, fields.join(' ')));
  if (counts.rejected > 0) {
    const show = command('status', '--state rejected');
    const again = command('again', '--state rejected');
    lines.push(
      `${formatRows(counts.rejected)} rejected: \`${show}\` shows why; \`${again}\` marks them for the next run`,
    );
  }
  if (counts.pending > 0) {
    const next = flags.redis === undefined ? 'run again' : 'enqueue again';
    lines.push(`${formatRows(counts.pending)} pending: ${next}`);
  }
  if (status.queued > 0) {
    const is = status.queued === 1 ? 'is' : 'are';
    const collect = command('collect', `--redis ${redisOf(flags)}`);
    lines.push(`${formatRows(status.queued)} ${is} in the queue or with a worker: \`${collect}\``);
  }
  if (lines.length === 0) lines.push('all rows are sent');
  return lines;
}

function adviceOnHolder({ pid, host, isElsewhere }: JournalHolder, command: SpellCommand): string {
  if (!isElsewhere) return 'a process is sending these rows: wait for it to end';
  const next = `\`${command('run', '--take-over')}\` (and the options that run was given)`;
  return `opened by process ${pid} on ${host} and not closed; if that process has ended: ${next}`;
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
  // Back to a message of the baseline, if nobody else sends.
  const listing =
    'pagesize' in baseline
      ? `--pagesize ${baseline.pagesize + counts.sent + counts.unknown}`
      : `--start-unixdate ${baseline.startUnixdate} --end-unixdate ${baseline.endUnixdate}`;
  const hint = fields === '' ? ' (and the fields that run was given)' : '';
  return `${rows}: wait a minute, then \`${command('reconcile', [fields, listing].filter(Boolean).join(' '))}\`${hint}`;
}

/** A URL with a password, or with a user that may be one, is not shown. */
function redisOf({ redis }: BulkFlags): string {
  if (redis === undefined) return 'URL';
  const { username, password } = new URL(redis);
  return username + password === '' ? quoteForShell(redis) : 'URL';
}

function optionOf(flags: BulkFlags, name: string): string[] {
  return flags[name] === undefined ? [] : [`--${kebabCase(name)} ${quoteForShell(String(flags[name]))}`];
}
