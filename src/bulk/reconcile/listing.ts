import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import type { Signal } from '../../internal/signal';
import type { CallOptions } from '../../options';
import type { MessagingRequest } from '../../types';
import type { BulkJournal } from '../state/bulk-journal';
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
  return 'pagesize' in listing
    ? client.selectLatestStream({ pagesize: listing.pagesize }, { signal })
    : client.selectOutboxStream(listing, { signal });
}

/**
 * Records the messages that the service already has: they must not be taken for rows later. Does nothing once a request was
 * decided on.
 */
export async function recordBaseline(
  journal: BulkJournal,
  client: ListingClient,
  listing: Listing,
  signal: Signal | undefined,
): Promise<void> {
  if (journal.state.batches > 0) return;
  const ids: string[] = [];
  for await (const { messageid } of listMessages(client, listing, signal)) ids.push(String(messageid));
  await journal.commit({ t: 'baseline', ids, listing: formatListing(listing) });
}

/** The reason why a listing cannot be compared with the baseline; undefined if it can. */
export function differenceFrom(baseline: BaselineRecord, listing: Listing): string | undefined {
  const { pagesize, startUnixdate, endUnixdate } = baseline.listing;
  const isSame =
    'pagesize' in listing
      ? pagesize !== undefined
      : // The contract does not define the unit of dates, so only equal dates are known to list the same messages.
        startUnixdate === String(listing.startUnixdate) && endUnixdate === String(listing.endUnixdate);
  return isSame ? undefined : `the baseline was listed with ${spellListing(baseline.listing)}: list in the same way`;
}

/** True when every message of the service is in the baseline. A full page may have left some out. */
export function isComplete({ ids, listing: { pagesize } }: BaselineRecord): boolean {
  return pagesize === undefined || ids.length < Number(pagesize);
}

function formatListing(listing: Listing): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(listing).map(([name, value]) => [name, String(value)]));
}

/** Reads a listing of the journal. */
export function parseListing({ pagesize, startUnixdate, endUnixdate }: BaselineRecord['listing']): Listing {
  if (pagesize !== undefined) return { pagesize: Number(pagesize) };
  return { startUnixdate: BigInt(startUnixdate ?? 0), endUnixdate: BigInt(endUnixdate ?? 0) };
}

function spellListing(listing: BaselineRecord['listing']): string {
  return Object.entries(listing)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
