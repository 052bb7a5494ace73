import { ConnectionError, FaultError, HttpError, MessagingError, StatusError } from '../../errors';
import type { CallOptions } from '../../options';
import type { MessagingRequest } from '../../types';
import type { BulkOperation } from '../rows/fields';
import type { RowValues } from '../rows/reader';
import type { OutcomeRecord } from '../state/records';
import { requestOf } from './batches';

/** The methods of a MessagingClient that send rows. */
export interface SendingClient {
  sendSimple(request: MessagingRequest<'SendSimpleByApikey'>, options?: CallOptions): Promise<bigint[]>;
  sendArray(request: MessagingRequest<'SendArrayByApikey'>, options?: CallOptions): Promise<bigint[]>;
}

/** The outcome of a batch, without the batch's number, and the failure if there was one. */
export interface SendResult {
  readonly outcome: OutcomeWithoutNumber;
  readonly error?: unknown;
}
type OutcomeWithoutNumber = OutcomeRecord extends infer R ? (R extends unknown ? Omit<R, 'n'> : never) : never;

/**
 * Sends a batch, once. Never rejects.
 *
 * @param startWithinMs the time from now within which the request must begin
 */
export async function sendBatch(
  client: SendingClient,
  operation: BulkOperation,
  rows: readonly RowValues[],
  startWithinMs: number,
): Promise<SendResult> {
  if (startWithinMs <= 0) return { outcome: { t: 'not-sent', error: 'not begun in time' } };
  // The rows were checked against the table of the operation, which says more of them than a type does.
  const request = requestOf(operation, rows) as never;
  try {
    const ids = await client[operation](request, { startWithinMs: Math.ceil(startWithinMs) });
    if (ids.length === rows.length) return { outcome: { t: 'sent', ids: ids.map(String) } };
    // Nothing tells which of the rows the service took.
    return { outcome: { t: 'unknown', error: `${ids.length} ids for ${rows.length} rows` } };
  } catch (error) {
    return { outcome: { t: outcomeOf(error), error: describeFailure(error) }, error };
  }
}

/** Starts to measure a time limit, in milliseconds. The function that it returns gives the time that is left. */
export function startTimeLimit(limitMs: number): () => number {
  const [started, at] = [performance.now(), Date.now()];
  // The first clock does not count the time in which a machine sleeps, and the second clock can be set.
  return () => limitMs - Math.max(performance.now() - started, Date.now() - at);
}

function outcomeOf(error: unknown): 'not-sent' | 'rejected' | 'unknown' {
  if (!(error instanceof MessagingError)) return 'unknown';
  // The ids in a refusal may be those of messages that were sent.
  const hasIds = error instanceof StatusError && Array.isArray(error.result) && error.result.length > 0;
  return hasIds ? 'unknown' : error.outcome;
}

/** Describes a failure for the journal, without the service's words: they may quote texts and numbers. */
function describeFailure(error: unknown): string {
  if (error instanceof StatusError)
    return `status ${error.status}${outcomeOf(error) === 'unknown' ? ', with ids' : ''}`;
  if (error instanceof FaultError) return `fault, HTTP status ${error.httpStatus}`;
  if (error instanceof HttpError) return `HTTP status ${error.httpStatus}`;
  if (error instanceof ConnectionError)
    return `${error.name} ${/^[A-Z_]{1,40}$/.test(error.code) ? error.code : ''}`.trim();
  return error instanceof Error ? error.name : 'failure';
}
