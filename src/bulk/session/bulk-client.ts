import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { CallOptions } from '../../options';
import type { MessagingRequest } from '../../types';

/** Settings of one call that begins in time or not at all. */
export interface TimedCallOptions extends CallOptions {
  /** A request that has not begun to be written after so many milliseconds is a TimeoutError, not-sent. */
  readonly startWithinMs?: number;
}

/** What bulk sending needs of a client: a MessagingClient has it. */
export interface BulkClient {
  sendSimple(request: MessagingRequest<'SendSimpleByApikey'>, options?: TimedCallOptions): Promise<bigint[]>;
  sendArray(request: MessagingRequest<'SendArrayByApikey'>, options?: TimedCallOptions): Promise<bigint[]>;
  selectOutboxStream(
    request: MessagingRequest<'SelectoutboxByApikey'>,
    options?: CallOptions,
  ): AsyncIterable<ApiSelect>;
  selectLatestStream(
    request: MessagingRequest<'SelectlatestByApikey'>,
    options?: CallOptions,
  ): AsyncIterable<ApiSelect>;
}
