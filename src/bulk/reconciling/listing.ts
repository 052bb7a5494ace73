import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { Listing } from '../journal/records';
import type { BulkClient } from '../session/bulk-client';

/** The messages that the service has, as they arrive. */
export function listMessages(
  client: BulkClient,
  listing: Listing,
  signal: AbortSignal | undefined,
): AsyncIterable<ApiSelect> {
  return 'pagesize' in listing
    ? client.selectLatestStream({ pagesize: listing.pagesize }, { signal })
    : client.selectOutboxStream(listing, { signal });
}

/** For the journal. */
export function formatListing(listing: Listing): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(listing).map(([name, value]) => [name, String(value)]));
}

/** From the journal. */
export function parseListing({ pagesize, startUnixdate, endUnixdate }: Readonly<Record<string, string>>): Listing {
  if (pagesize !== undefined) return { pagesize: Number(pagesize) };
  return { startUnixdate: BigInt(startUnixdate ?? 0), endUnixdate: BigInt(endUnixdate ?? 0) };
}

/** For people. */
export function spellListing(listing: Readonly<Record<string, string>>): string {
  return Object.entries(listing)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
