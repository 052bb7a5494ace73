import type { BulkDelivery, BulkStatus, Counts, Reconciliation, SomeRows } from '../../../bulk';
import { rangesOf } from '../../../bulk/state/records';

/** "998 of 1,000 rows sent, 2 unknown" */
export function summaryOf({ total, sent, ...others }: Counts): string {
  return [`${formatCount(sent)} of ${formatRows(total)} sent`, ...countsOf(others)].join(', ');
}

/** ": they have this message from list.csv, 26 November, at https://provider.example"; empty when no row is left out */
export function describeLeftOut({ counts, rows }: BulkStatus): string {
  if (counts['left-out'] === 0) return '';
  const reasons = new Map<string, number>();
  for (const { error } of rows('left-out')) reasons.set(error, (reasons.get(error) ?? 0) + 1);
  const have = (reason: string, count: number) => (count === 1 ? reason : reason.replace(/^has /, 'have '));
  const [[only, count] = ['', 0]] = reasons;
  if (reasons.size === 1) return `: ${count === 1 ? 'it' : 'they'} ${have(only, count)}`;
  return `: ${[...reasons].map(([reason, each]) => `${formatCount(each)} ${have(reason, each)}`).join('; ')}`;
}

/** The counts that are not 0: "2 unknown", "1 under way". */
export function countsOf(counts: Partial<Counts>): string[] {
  const states = ['sent', 'unknown', 'rejected', 'left-out', 'pending', 'under-way'] as const;
  return states
    .filter((state) => (counts[state] ?? 0) > 0)
    .map((state) => `${formatCount(counts[state] as number)} ${state.replace('-', ' ')}`);
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** The path of the file of a list. */
export function fileOf(journal: string): string {
  return journal.replace(/\.journal$/, '');
}

/** "rows 3, 7-9, …" */
export function nameRows({ count, first }: SomeRows): string {
  const ranges = rangesOf(first).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return `${count === 1 ? 'row' : 'rows'} ${ranges.join(', ')}${count > first.length ? ', …' : ''}`;
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

/** Says that rows are sent again because of the promise of their provider. */
export function describeRepeats(rows: number, time: string): string {
  const are = rows === 1 ? 'is sent again with its clientmessageid' : 'are sent again with their clientmessageids';
  return `${formatRows(rows)} ${are}, because of --unique-clientmessageid ${time}`;
}

/** Says that unknown rows will be repeated, and how to end it. */
export function describePromise(time: string): string {
  const promise = `--unique-clientmessageid ${time}`;
  return `unknown rows are sent again with their clientmessageids, because of ${promise}; --unique-clientmessageid never ends it`;
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
