import type { MessagingClient } from '../../client/client';
import {
  ConnectionError,
  FaultError,
  HttpError,
  isBusy,
  MessagingError,
  StatusError,
  TimeoutError,
} from '../../errors';
import type { TimeLeft } from '../../internal/time-limit';
import type { BulkOperation, RowValues } from '../rows/fields';
import type { OutcomeRecord, RowRange } from '../state/records';
import { requestOf } from './batches';
import { keepWords } from './service-words';

/** The methods of a client that send rows. */
export type SendingClient = Pick<MessagingClient, BulkOperation>;

/** The outcome of a batch, without the batch's number, and the failure if there was one. */
export interface SendResult {
  readonly outcome: OutcomeWithoutNumber;
  readonly error?: unknown;
  /** The response with which the service asked for fewer requests. The rows were not sent, and are sent later. */
  readonly pushback?: HttpError | FaultError;
  /** True for a batch that was not begun and goes back to its queue. This is no failure. */
  readonly goesBack?: boolean;
}
export type OutcomeWithoutNumber = OutcomeRecord extends infer R ? (R extends unknown ? Omit<R, 'n'> : never) : never;

/** The rows of a batch that was not sent, and the reason. */
export interface BatchFailure {
  /** The name of the list's file, where a worker sends several lists. */
  readonly list?: string;
  readonly range: RowRange;
  readonly message: string;
  readonly error?: unknown;
}

/** True for a batch whose request had not begun in time, also because this process was busy or stopped. */
export function isNotBegun({ outcome, error }: SendResult): boolean {
  return outcome.t === 'not-sent' && (error === undefined || error instanceof TimeoutError);
}

/** Describes a batch that was not sent; undefined for a batch that was sent. */
export function failureOf(range: RowRange, { outcome, error }: SendResult): BatchFailure | undefined {
  if (outcome.t === 'sent') return undefined;
  return { range, message: error instanceof Error ? error.message : outcome.error, error };
}

/**
 * Sends a batch, once. Never rejects.
 *
 * @param timeLeft the time within which the request must begin. It is asked until the request begins, because this
 * process may be stopped meanwhile
 */
export async function sendBatch(
  client: SendingClient,
  operation: BulkOperation,
  rows: readonly RowValues[],
  timeLeft: TimeLeft,
): Promise<SendResult> {
  if (timeLeft() <= 0) return { outcome: { t: 'not-sent', error: 'not begun in time' } };
  // The rows were checked against the table of the operation, which says more of them than a type does.
  const request = requestOf(operation, rows) as never;
  try {
    const result: bigint | bigint[] = await client[operation](request, { startWithinMs: timeLeft });
    const ids = [result].flat();
    const problem = problemOf(ids, rows.length);
    if (problem === undefined) return { outcome: { t: 'sent', ids: ids.map(String) } };
    // Nothing tells which of the rows the service took.
    return { outcome: { t: 'unknown', error: problem } };
  } catch (error) {
    const { t, words, refusal } = judge(error, rows);
    if (t === 'rejected' && isBusy(error)) return { outcome: { t: 'not-sent', error: words }, error, pushback: error };
    const kind = t === 'rejected' && { refusal, ...(rows.length > 1 && { refusedTogether: true }) };
    return { outcome: { t, error: words, ...kind }, error };
  }
}

/** The reason why ids do not show the outcome of the rows; undefined when each row has an id. */
function problemOf(ids: readonly bigint[], rows: number): string | undefined {
  if (ids.length !== rows) return `${ids.length} ids for ${rows} rows`;
  if (ids.some((id) => id <= 0n)) return 'an id is 0 or negative';
  return new Set(ids).size < ids.length ? 'ids are repeated' : undefined;
}

/**
 * A failure as the journal keeps it, without texts and numbers of the rows, and the kind of a response that refused the
 * batch, as `retry` takes it.
 */
function judge(error: unknown, rows: readonly RowValues[]) {
  const quote = (words: string) => (words.trim() === '' ? '' : ` (${keepWords(words, rows)})`);
  const t = error instanceof MessagingError ? error.outcome : 'unknown';
  if (error instanceof StatusError) {
    const { status, statusmessage, result } = error;
    // The ids in a refusal may be those of messages that were sent.
    const hasIds = Array.isArray(result) ? result.length > 0 : typeof result === 'bigint' && result > 0n;
    const words = `status ${status}${hasIds ? ', with ids' : ''}${quote(statusmessage)}`;
    return { t: hasIds ? 'unknown' : t, words, refusal: String(status) };
  }
  if (error instanceof FaultError)
    return { t, words: `fault, HTTP status ${error.httpStatus}${quote(error.reason)}`, refusal: 'fault' };
  if (error instanceof HttpError)
    return { t, words: `HTTP status ${error.httpStatus}`, refusal: `http-${error.httpStatus}` };
  const code = error instanceof ConnectionError && /^[A-Z_]{1,40}$/.test(error.code) ? ` ${error.code}` : '';
  return { t, words: error instanceof Error ? `${error.name}${code}` : 'failure', refusal: 'other' };
}
