import { Service } from '../client/options/service';
import { ConfigurationError } from '../errors';
import { combineSignals } from '../internal/signals';
import { JournalError } from '../journal/errors';
import { openJournal } from '../journal/journal';
import type { JournalHolder } from '../journal/owner';
import { type ReadJournal, readJournal } from '../journal/read-journal';
import { wrongOption } from '../options/table';
import { type InboxCounts, type InboxRecord, type InboxState, inboxKind, type UnhandledMessage } from './inbox-journal';
import { InboxRun } from './inbox-run';
import {
  type InboxOptions,
  type InboxRunOptions,
  type InboxSettings,
  type MessageHandler,
  resolveInboxOptions,
} from './options';
import type { InboxJournal } from './rewrite';

/**
 * Opens an inbox. It is yours until you close it: another process that opens its journal meanwhile is refused.
 *
 * @example
 * const inbox = await openInbox({ client, lineNumbers: ['3000'], journal: 'inbox.journal', unread: 0, read: 1 });
 * await inbox.run(async (message, { redelivered }) => handle(message, redelivered), { signal });
 * await inbox.close();
 * @throws {ConfigurationError} for wrong options; {JournalError} when the journal cannot be used
 */
export async function openInbox(options: InboxOptions): Promise<Inbox> {
  const settings = resolveInboxOptions(options);
  const { journal: path, takeOver, read, onWarning } = settings;
  const journal = await openJournal({ path, kind: inboxKind, takeOver, start: (state) => bind(state, settings) });
  for (const notice of journal.notices) onWarning(notice);
  if (read === undefined) onWarning('without read, messages are lost when a response is lost');
  return new Inbox(journal, settings);
}

/**
 * Returns the records that bind a journal to the service of the client. A journal without a message is bound anew, so a
 * typing error costs nothing.
 *
 * @throws {ConfigurationError} when its messages are of another service
 */
function bind(state: InboxState, { client, serviceMoved }: InboxSettings): readonly InboxRecord[] {
  const service = new Service(client);
  const was = state.service && new Service(state.service);
  if (was?.isSame(service)) return [];
  if (was && !serviceMoved && state.counts().known > 0) {
    const message = `holds messages of ${was}, and not of ${service}: choose a new journal`;
    const moved = 'or give this option, if the provider has moved';
    throw new ConfigurationError({
      problems: [
        { option: 'journal', message },
        { option: 'serviceMoved', message: moved },
      ],
    });
  }
  return [{ t: 'service', baseUrl: client.baseUrl, namespace: client.namespace }];
}

/** Received messages, each of which a handler is called with until it succeeds. */
export class Inbox {
  readonly #journal: InboxJournal;
  readonly #settings: InboxSettings;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(journal: InboxJournal, settings: InboxSettings) {
    this.#journal = journal;
    this.#settings = settings;
  }

  /**
   * Receives messages and calls the handler with each, one at a time. A handler that fails is called again later.
   * Resolves when the signal aborts or the inbox is closed, after the handler that is running.
   *
   * @throws {MessagingError} when the service refuses a request; {ConfigurationError} when `unread` and `read` seem to
   * be swapped; {JournalWriteError} when the journal cannot be written
   */
  async run(handler: MessageHandler, { signal }: InboxRunOptions = {}): Promise<void> {
    if (this.#running) throw new ConfigurationError({ message: 'the inbox is running already' });
    if (this.#closing.signal.aborted) throw new ConfigurationError({ message: 'the inbox is closed' });
    const combined = combineSignals([this.#closing.signal, signal as AbortSignal | undefined]);
    this.#running = new InboxRun(this.#journal, this.#settings, handler, combined.signal).start();
    try {
      await this.#running;
    } finally {
      this.#running = undefined;
      combined.release();
    }
  }

  /** The numbers of messages in the journal. */
  get counts(): InboxCounts {
    return this.#journal.state.counts();
  }

  /**
   * Makes messages that were set aside wait again. A run calls the handler with them, `redelivered`, and counts their
   * attempts from the start. Resolves with the number of messages once this is on the disk.
   *
   * @param ids messageids; all messages that were set aside by default
   * @throws {ConfigurationError} when a message was not set aside; then nothing is changed
   */
  async retry(ids?: readonly (bigint | number)[]): Promise<number> {
    if (this.#closing.signal.aborted) throw new ConfigurationError({ message: 'the inbox is closed' });
    return retrySetAside(this.#journal, ids);
  }

  /** Ends the run, waits for the handler that is running, and closes the journal. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await this.#running?.catch(() => undefined);
    await this.#journal.close();
  }
}

/** The knowledge of a journal about received messages. */
export interface InboxStatus {
  readonly counts: InboxCounts;
  /** The number of messages of which no first look has decided whether they wait for a handler. */
  readonly undecided: number;
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
  return { counts: state.counts(), undecided: state.undecided, unhandled, holder, notices: holder ? [] : notices };
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
async function retrySetAside(journal: InboxJournal, ids?: readonly (bigint | number)[]): Promise<number> {
  const setAside = [...journal.state.unhandled.values()].filter(({ isSetAside }) => isSetAside);
  const wanted = ids && new Set(ids.map(String));
  // Several messages may have the same id, on two lines or one after the other.
  const found = setAside.filter(({ message }) => wanted?.has(String(message.messageid)) ?? true);
  for (const { message } of found) wanted?.delete(String(message.messageid));
  if (wanted && wanted.size > 0) throw wrongOption('ids', `no message ${[...wanted].join(', ')} was set aside`);
  for (const { lineNumber, message, mark } of found)
    journal.append({ t: 'retry', line: lineNumber, id: String(message.messageid), mark });
  await journal.flush();
  return found.length;
}
