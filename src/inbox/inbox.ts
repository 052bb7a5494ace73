import { ConfigurationError } from '../errors';
import { combineSignals } from '../internal/signals';
import { openJournal } from '../journal/journal';
import { type InboxCounts, inboxKind } from './inbox-journal';
import { InboxRun } from './inbox-run';
import { retrySetAside } from './operator';
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
  const journal = await openJournal({ path, kind: inboxKind, takeOver });
  for (const notice of journal.notices) onWarning(notice);
  if (read === undefined) onWarning('without read, messages are lost when a response is lost');
  return new Inbox(journal, settings);
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
   * @throws {MessagingError} when the service refuses a request; {JournalWriteError} when the journal cannot be written
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
