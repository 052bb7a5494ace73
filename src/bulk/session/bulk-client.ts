import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { CallOptions } from '../../options';
import type { MessagingRequest } from '../../types';

/** What bulk sending needs of a client: a MessagingClient has it. */
export interface BulkClient {
  sendSimple(request: MessagingRequest<'SendSimpleByApikey'>, options?: CallOptions): Promise<bigint[]>;
  sendArray(request: MessagingRequest<'SendArrayByApikey'>, options?: CallOptions): Promise<bigint[]>;
  selectOutboxStream(
    request: MessagingRequest<'SelectoutboxByApikey'>,
    options?: CallOptions,
  ): AsyncIterable<ApiSelect>;
  selectLatestStream(
    request: MessagingRequest<'SelectlatestByApikey'>,
    options?: CallOptions,
  ): AsyncIterable<ApiSelect>;
}
