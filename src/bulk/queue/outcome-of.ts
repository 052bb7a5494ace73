import { parseLine } from '../../journal/records';
import type { QueuedBatch } from '../state/bulk-state';
import { type OutcomeRecord, readRecord, rowsIn } from '../state/records';

/** The replies for a batch without an outcome. */
const OPEN = ['queued', 'under-way', 'silent', 'lost'];

/** Makes the outcome of a batch of its value in Redis; undefined for a batch without one. */
export function outcomeOf({ n, range }: QueuedBatch, value: string): OutcomeRecord | undefined {
  if (OPEN.includes(value)) return undefined;
  if (value === 'revoked') return { t: 'not-sent', n, error: 'revoked' };
  const [, mark, tick] = /^given-up:[^:]*:([^:]*):(\d+)$/.exec(value) ?? [];
  if (tick !== undefined)
    return { t: 'unknown', n, error: 'its worker ended', silent: true, ...workOf(mark, tick, tick) };
  const [, first, last, account, text = ''] = /^done:(\d+):(\d+):([^:]*):(.*)$/s.exec(value) ?? [];
  const record = parseLine(text, readRecord);
  const isOutcome = record !== undefined && 'n' in record && record.t !== 'intent' && record.n === n;
  const isWhole = isOutcome && (record.t !== 'sent' || record.ids.length === rowsIn(range));
  const outcome = isWhole ? record : ({ t: 'unknown', n, error: 'its outcome cannot be read' } as const);
  return first === undefined ? outcome : { ...outcome, ...workOf(account, first, last) };
}

/**
 * The part of an outcome that its worker adds: the mark of its account, and the ticks of its claim and of its outcome.
 */
function workOf(mark: string | undefined, first: string, last: string | undefined) {
  return { ...(mark && { account: mark }), ticks: [Number(first), Number(last)] as const };
}
