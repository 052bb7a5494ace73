import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import { bigintReplacer } from '../json';
import { wrongOption } from '../options/table';
import { lineKey } from './inbox-journal';
import type { InboxSettings } from './options';
import type { InboxJournal } from './rewrite';

/** The limit on a silence of the service where the client has none, in milliseconds. */
const IDLE_MS = 60_000;

/** Lists the messages of lines, and writes those that are new to the journal before anybody else sees them. */
export class InboxListing {
  readonly #journal: InboxJournal;
  readonly #settings: InboxSettings;
  readonly #signal: AbortSignal;
  /** The words about records that cannot be read. The service lists them again and again. */
  readonly #reported = new Set<string>();

  constructor(journal: InboxJournal, settings: InboxSettings, signal: AbortSignal) {
    this.#journal = journal;
    this.#settings = settings;
    this.#signal = signal;
  }

  /**
   * Lists messages, and yields the id of each. Those that are new are in the journal when it ends, also after a
   * failure: the service may have marked as read what has arrived.
   *
   * @param kind the record for a new message
   */
  async *list(line: string, isread: number, kind: 'message' | 'listed'): AsyncGenerator<bigint, void> {
    const { client, read } = this.#settings;
    const options = {
      // Without a look at read messages, an aborted request would lose its messages.
      signal: read === undefined ? undefined : this.#signal,
      // The list of read messages grows as long as the line lives.
      timeoutMs: 0,
      idleTimeoutMs: client.idleTimeoutMs || IDLE_MS,
      maxResponseBytes: Number.MAX_SAFE_INTEGER,
      onUnreadable: (error: Error) => this.#reportOnce(error),
    };
    try {
      for await (const message of client.receiveStream({ lineNumber: line, isread }, options)) {
        this.#write(line, isread, kind, message);
        yield message.messageid;
      }
    } finally {
      await this.#journal.flush();
    }
    refuseReused(this.#journal);
  }

  #write(line: string, isread: number, kind: 'message' | 'listed', message: ApiReceive): void {
    const { unread, read } = this.#settings;
    const { state } = this.#journal;
    const found = state.compare(line, message);
    // What an earlier run has listed with other values tells nothing about these values.
    const earlier = state.listed.get(lineKey(line, message.messageid))?.isread;
    const isOutdated = earlier !== undefined && earlier !== unread && earlier !== read;
    if (found === 'known' && !(isOutdated && kind === 'listed')) return;
    if (found === 'reused') {
      // Also written: the service may have marked it as read, so that it is nowhere else.
      this.#journal.append({ t: 'reused', line, message: plainOf(message) });
    } else if (kind === 'listed') this.#journal.append({ t: 'listed', line, isread, message: plainOf(message) });
    else this.#journal.append({ t: 'message', line, message: plainOf(message) });
  }

  #reportOnce(error: Error): void {
    if (this.#reported.has(error.message)) return;
    this.#reported.add(error.message);
    this.#settings.onFailure(error);
  }
}

/** @throws {ConfigurationError} when the service gives its ids again: the journal can no longer tell its messages */
export function refuseReused({ state: { reused }, path }: InboxJournal): void {
  if (!reused) return;
  const { line, message } = reused;
  throw wrongOption(
    'journal',
    `${path} knows another message ${message.messageid} of line ${line}, so this service gives its ids again, as a sandbox without --data does after a restart: choose a new journal`,
  );
}

function plainOf(message: object): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(message, bigintReplacer));
}
