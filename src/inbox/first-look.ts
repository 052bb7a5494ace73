import { ConfigurationError } from '../errors';
import type { InboxListing } from './listing';
import type { InboxSettings } from './options';
import type { InboxJournal } from './rewrite';

/**
 * Looks at a line for the first time. Messages that are listed as read are known; those that are listed as unread wait
 * for a handler. The contract does not define the values of isread, so each list is asked for twice before a handler
 * gets a message: a service of this kind marks as read what it has listed.
 *
 * A failure leaves the look incomplete, and what was listed in the journal.
 *
 * @throws {ConfigurationError} when the values of isread seem to be swapped
 */
export async function lookFirst(
  line: string,
  journal: InboxJournal,
  listing: InboxListing,
  settings: InboxSettings,
): Promise<void> {
  const { read, unread, includeRead } = settings;
  const { state } = journal;
  if (state.hasBaseline(line, unread, read)) return;
  if (read !== undefined && state.hasLooked(line, read)) {
    // A response with unread messages may have been lost since.
    await idsOf(listing.list(line, read, 'message'));
  } else if (read !== undefined) {
    const ids = await idsOf(listing.list(line, read, 'listed'));
    if (ids.size > 0 && !(await isListed(ids, listing.list(line, read, 'listed')))) throw swapped(line, settings);
    await journal.commit({ t: 'looked', line, isread: read });
  }
  const ids = await idsOf(listing.list(line, unread, 'listed'));
  if (ids.size > 0 && !includeRead) {
    const again = await idsOf(listing.list(line, unread, 'listed'));
    if ([...ids].every((id) => again.has(id))) throw listedAgain(line, ids.size, settings);
  }
  await journal.commit({ t: 'baseline', line, unread, read, includeRead, at: Date.now() });
}

async function idsOf(messages: AsyncIterable<bigint>): Promise<ReadonlySet<bigint>> {
  const ids = new Set<bigint>();
  for await (const id of messages) ids.add(id);
  return ids;
}

/** True when one of the ids is listed. The rest of the list is then not read. */
async function isListed(ids: ReadonlySet<bigint>, messages: AsyncIterable<bigint>): Promise<boolean> {
  for await (const id of messages) if (ids.has(id)) return true;
  return false;
}

/** What was listed as read has gone from the list: the service has marked it, so it was unread. */
function swapped(line: string, { read, unread }: InboxSettings): ConfigurationError {
  const why = `line ${line} does not list the same messages with isread ${read} a second time, so they were unread`;
  return new ConfigurationError({
    problems: [
      { option: 'unread', message: `give ${read}: ${why}` },
      { option: 'read', message: `give ${unread}` },
    ],
  });
}

/** What was listed as unread is listed again. */
function listedAgain(line: string, count: number, { read, unread }: InboxSettings): ConfigurationError {
  const messages = count === 1 ? 'the same message' : `the same ${count} messages`;
  const again = `line ${line} lists ${messages} with isread ${unread} a second time`;
  const other =
    read === undefined ? 'then give the other value' : `then give ${read}, and ${unread} as the other value`;
  const unmarked =
    'or this service does not mark what it has listed: then handle all that it lists with this option, and without a value for read messages';
  return new ConfigurationError({
    problems: [
      { option: 'unread', message: `${again}: either these messages are read, ${other}` },
      { option: 'includeRead', message: unmarked },
    ],
  });
}
