import type { BaselineRecord, Listing } from '../journal/records';
import { digestMessage } from '../rows/row-digests';
import type { Session } from '../session/session';
import { formatListing, listMessages, spellListing } from './listing';

/**
 * Writes down which messages the service already has that look like one of the rows: they must not be taken for one later.
 * Only before anything is sent; afterwards it does nothing.
 */
export async function recordBaseline(
  session: Session,
  listing: Listing,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { client, journal, ledger, digests } = session;
  if (ledger.batches > 0) return;
  const isMessage = digests.messageFinder();
  const ids: string[] = [];
  let listed = 0;
  for await (const record of listMessages(client, listing, signal)) {
    listed += 1;
    if (isMessage(digestMessage(record))) ids.push(String(record.messageid));
  }
  const baseline = { t: 'baseline', ids, listing: formatListing(listing), listed } as const;
  ledger.apply(baseline);
  await journal.commit(baseline);
}

/**
 * Why a listing may hold messages that are older than the baseline and not in it; undefined if it cannot. Such a message
 * would be taken for a row that was never sent.
 *
 * @param sent messages that are known to be sent since
 */
export function reachesBeyond(baseline: BaselineRecord, listing: Listing, sent: number): string | undefined {
  const { pagesize, startUnixdate, endUnixdate } = baseline.listing;
  const taken = `the baseline was listed with ${spellListing(baseline.listing)}`;
  if ('pagesize' in listing) {
    if (pagesize === undefined) return `${taken}: list in the same way`;
    // A page that was not full held everything. Of a full one, each message since pushed one out.
    const limit = Number(pagesize) + sent;
    const isComplete = baseline.listed < Number(pagesize);
    return isComplete || listing.pagesize <= limit
      ? undefined
      : `${taken}, and ${sent} messages are known to be sent since: a pagesize above ${limit} reaches further back`;
  }
  if (startUnixdate === undefined || endUnixdate === undefined) return `${taken}: list in the same way`;
  return BigInt(listing.startUnixdate) >= BigInt(startUnixdate) && BigInt(listing.endUnixdate) <= BigInt(endUnixdate)
    ? undefined
    : `${taken}: dates outside of these reach further`;
}
