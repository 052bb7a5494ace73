import type { BaselineRecord, Listing } from '../journal/records';
import type { Session } from '../session/session';
import { formatListing, listMessages, spellListing } from './listing';

/**
 * Writes down which messages the service already has: they must not be taken for rows later. Only before anything is sent;
 * afterwards it does nothing.
 */
export async function recordBaseline(
  { client, journal, ledger }: Session,
  listing: Listing,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (ledger.batches > 0) return;
  const ids: string[] = [];
  for await (const { messageid } of listMessages(client, listing, signal)) ids.push(String(messageid));
  const baseline = { t: 'baseline', ids, listing: formatListing(listing) } as const;
  ledger.apply(baseline);
  await journal.commit(baseline);
}

/** Why a listing cannot be compared with the baseline; undefined if it can. */
export function differenceFrom(baseline: BaselineRecord, listing: Listing): string | undefined {
  const { pagesize, startUnixdate, endUnixdate } = baseline.listing;
  const isSame =
    'pagesize' in listing
      ? pagesize !== undefined
      : // The unit of dates is the service's, so nothing else shows that other dates hold the same messages.
        startUnixdate === String(listing.startUnixdate) && endUnixdate === String(listing.endUnixdate);
  return isSame ? undefined : `the baseline was listed with ${spellListing(baseline.listing)}: list in the same way`;
}

/** Whether every message that the service had is in the baseline: a full page may have left some out. */
export function isComplete({ ids, listing: { pagesize } }: BaselineRecord): boolean {
  return pagesize === undefined || ids.length < Number(pagesize);
}
