import { JournalError } from '../journal/errors';
import { openJournal } from '../journal/journal';
import type { JournalHolder } from '../journal/owner';
import { type ReadJournal, readJournal } from '../journal/read-journal';
import { wrongOption } from '../options/table';
import { type InboxCounts, type InboxState, inboxKind, type UnhandledMessage } from './inbox-journal';
import type { InboxJournal } from './rewrite';

/** The knowledge of a journal about received messages. */
export interface InboxStatus {
  readonly counts: InboxCounts;
  /** The messages that are not handled, in the order in which they came. */
  readonly unhandled: readonly Readonly<UnhandledMessage>[];
  /** The process that has the inbox open, or may have it open on another host. */
  readonly holder: JournalHolder | undefined;
  /** Sentences about what a crash has left at the end of the journal. */
  readonly notices: readonly string[];
}

/** Reads the journal of an inbox, also while an inbox uses it. @throws {JournalError} */
export async function readInbox(path: string): Promise<InboxStatus> {
  const { state, holder, notices } = await findInbox(path);
  const unhandled = [...state.unhandled.values()];
  return { counts: state.counts(), unhandled, holder, notices: holder ? [] : notices };
}

/** Makes messages of a journal that no process has open wait again, as `Inbox.retry` does. @throws {JournalError} */
export async function retryInbox(path: string, takeOver: boolean, ids?: readonly bigint[]): Promise<number> {
  const journal = await openJournal({ path, kind: inboxKind, takeOver, found: await findInbox(path) });
  try {
    return await retrySetAside(journal, ids);
  } finally {
    await journal.close();
  }
}

/** Reads a journal, which must exist: a new one would take all messages for handled ones. @throws {JournalError} */
async function findInbox(path: string): Promise<ReadJournal<InboxState>> {
  const found = await readJournal(path, inboxKind);
  if (!found) throw new JournalError('changed', { message: `there is no journal ${path}` });
  return found;
}

/** Makes messages that were set aside wait again, and returns their number. */
export async function retrySetAside(journal: InboxJournal, ids?: readonly (bigint | number)[]): Promise<number> {
  const setAside = [...journal.state.unhandled.values()].filter(({ isSetAside }) => isSetAside);
  const wanted = ids && new Set(ids.map(String));
  // Two lines may have a message with the same id.
  const found = setAside.filter(({ message }) => wanted?.has(String(message.messageid)) ?? true);
  for (const { message } of found) wanted?.delete(String(message.messageid));
  if (wanted && wanted.size > 0) throw wrongOption('ids', `no message ${[...wanted].join(', ')} was set aside`);
  await journal.commit(
    ...found.map(({ lineNumber, message }) => ({
      ...({ t: 'retry', line: lineNumber } as const),
      id: String(message.messageid),
    })),
  );
  return found.length;
}
