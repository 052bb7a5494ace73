import { ConnectionError, FaultError, HttpError, MessagingError, StatusError } from '../../errors';
import type { CallOptions } from '../../options';
import type { OutcomeRecord } from '../journal/records';
import type { BulkOperation } from '../rows/bulk-fields';
import type { RowValues } from '../rows/row-reader';
import type { BulkClient } from '../session/bulk-client';
import { requestOf } from './plan';

/** What became of a batch: the record without the batch's number, and the failure if there was one. */
export interface SendResult {
  readonly outcome: OutcomeWithoutNumber;
  readonly error?: unknown;
}
export type OutcomeWithoutNumber = OutcomeRecord extends infer R ? (R extends unknown ? Omit<R, 'n'> : never) : never;

/**
 * Sends a batch, once. Never rejects.
 *
 * @param startWithinMs how long from now the request may begin
 */
export async function sendBatch(
  client: BulkClient,
  operation: BulkOperation,
  rows: readonly RowValues[],
  startWithinMs: number,
): Promise<SendResult> {
  if (startWithinMs <= 0) return { outcome: { t: 'not-sent', error: 'not begun in time' } };
  const send = client[operation] as (request: object, options: CallOptions) => Promise<bigint[]>;
  try {
    const ids = await send.call(client, requestOf(operation, rows), { startWithinMs: Math.ceil(startWithinMs) });
    if (ids.length === rows.length) return { outcome: { t: 'sent', ids: ids.map(String) } };
    // Which of the rows were taken cannot be told.
    return { outcome: { t: 'unknown', error: `${ids.length} ids for ${rows.length} rows` } };
  } catch (error) {
    return { outcome: { t: outcomeOf(error), error: nameOf(error) }, error };
  }
}

function outcomeOf(error: unknown): 'not-sent' | 'rejected' | 'unknown' {
  if (!(error instanceof MessagingError)) return 'unknown';
  // Ids that come with a refusal may be those of messages that were sent.
  const hasIds = error instanceof StatusError && Array.isArray(error.result) && error.result.length > 0;
  return hasIds ? 'unknown' : error.outcome;
}

/** A failure in a word for the journal, which holds nothing that the service wrote: that may quote texts and numbers. */
function nameOf(error: unknown): string {
  if (error instanceof StatusError)
    return `status ${error.status}${outcomeOf(error) === 'unknown' ? ', with ids' : ''}`;
  if (error instanceof FaultError) return `fault, HTTP status ${error.httpStatus}`;
  if (error instanceof HttpError) return `HTTP status ${error.httpStatus}`;
  if (error instanceof ConnectionError)
    return `${error.name} ${/^[A-Z_]{1,40}$/.test(error.code) ? error.code : ''}`.trim();
  return error instanceof Error ? error.name : 'failure';
}
