import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { MessagingClient } from '../../client/client';
import type { Signal } from '../../internal/signals';
import type { BulkView } from '../state/bulk-journal';
import type { BaselineRecord } from '../state/records';

/** The method of a client that lists messages. */
export type ListingClient = Pick<MessagingClient, 'selectLatestStream'>;

/** Lists the service's latest messages as they arrive. */
export function listMessages(client: ListingClient, pagesize: number, signal?: Signal): AsyncIterable<ApiSelect> {
  // A listing takes as long as it has messages. The client's idleTimeoutMs limits a silence of the service.
  const options = { signal, timeoutMs: 0, maxResponseBytes: Number.MAX_SAFE_INTEGER };
  return client.selectLatestStream({ pagesize }, options);
}

/** Lists the messages that the service already has: they must not be taken for rows later. */
export async function listBaseline(client: ListingClient, pagesize: number, signal: Signal): Promise<BaselineRecord> {
  const ids: string[] = [];
  if (pagesize > 0)
    for await (const { messageid } of listMessages(client, pagesize, signal)) ids.push(String(messageid));
  return { t: 'baseline', ids, pagesize };
}

/** The greatest page size that the contract's int allows. */
export const MAX_PAGESIZE = 2_147_483_647;

/** The size of a page that holds the messages of the baseline and of all rows, when nobody else sends. */
export function latestPage({ baseline, table }: BulkView): number {
  const sent = table.total - table.count('pending') - table.count('under-way');
  return Math.min((baseline?.ids.length ?? 0) + sent + 1, MAX_PAGESIZE);
}
