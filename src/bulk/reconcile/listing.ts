import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { Signal } from '../../internal/signals';
import type { CallOptions } from '../../options/call';
import type { MessagingRequest } from '../../types';
import type { BulkView } from '../state/bulk-journal';
import type { BaselineRecord, Listing } from '../state/records';

/** The methods of a MessagingClient that list messages. */
export interface ListingClient {
  selectOutboxStream(
    request: MessagingRequest<'SelectoutboxByApikey'>,
    options?: CallOptions,
  ): AsyncIterable<ApiSelect>;
  selectLatestStream(
    request: MessagingRequest<'SelectlatestByApikey'>,
    options?: CallOptions,
  ): AsyncIterable<ApiSelect>;
}

/** Lists the service's messages as they arrive. */
export function listMessages(
  client: ListingClient,
  listing: Listing,
  signal: Signal | undefined,
): AsyncIterable<ApiSelect> {
  // A listing takes as long as it has messages. The client's idleTimeoutMs limits a silence of the service.
  const options = { signal, timeoutMs: 0, maxResponseBytes: Number.MAX_SAFE_INTEGER };
  if ('pagesize' in listing) return client.selectLatestStream({ pagesize: listing.pagesize }, options);
  const { startUnixdate, endUnixdate } = listing;
  return client.selectOutboxStream({ startUnixdate, endUnixdate }, options);
}

/** Lists the messages that the service already has: they must not be taken for rows later. */
export async function listBaseline(
  client: ListingClient,
  listing: Listing,
  signal: Signal | undefined,
): Promise<BaselineRecord> {
  const ids: string[] = [];
  for await (const { messageid } of listMessages(client, listing, signal)) ids.push(String(messageid));
  return { t: 'baseline', ids, listing: formatListing(listing) };
}

/** The greatest page size that the contract's int allows. */
export const MAX_PAGESIZE = 2_147_483_647;

/** A listing by dates ends this long after now: messages are listed by the service's clock. */
const BEYOND_NOW_MS = 86_400_000;

/** Works out the first listing in which unknown rows are looked for. */
export function firstListing({ baseline, table }: BulkView): Listing {
  const listing = baseline && parseListing(baseline.listing);
  if (listing && 'startUnixdate' in listing && listing.dates !== undefined) {
    const endMs = Date.now() + BEYOND_NOW_MS;
    return { ...listing, endUnixdate: listing.dates === 'seconds' ? Math.ceil(endMs / 1000) : endMs };
  }
  return latestPage({ baseline, table });
}

/** A page that holds the messages of the baseline and of all rows, when nobody else sends. */
export function latestPage({ baseline, table }: Pick<BulkView, 'baseline' | 'table'>): Listing {
  const sent = table.total - table.count('pending') - table.count('under-way');
  return { pagesize: Math.min((baseline?.ids.length ?? 0) + sent + 1, MAX_PAGESIZE) };
}

function formatListing(listing: Listing): Readonly<Record<string, string>> {
  const given = Object.entries(listing).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** Reads a listing of the journal. */
export function parseListing({ pagesize, startUnixdate, endUnixdate, dates }: BaselineRecord['listing']): Listing {
  if (pagesize !== undefined) return { pagesize: Number(pagesize) };
  const unit = dates === 'seconds' || dates === 'milliseconds' ? dates : undefined;
  return { startUnixdate: BigInt(startUnixdate ?? 0), endUnixdate: BigInt(endUnixdate ?? 0), dates: unit };
}
