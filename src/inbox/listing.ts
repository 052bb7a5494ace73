import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import { markOf } from './message-mark';
import type { InboxSettings } from './options';
import { plainOf } from './records';
import type { InboxJournal } from './rewrite';

/** The limit on a silence of the service where the client has none, in milliseconds. */
const IDLE_MS = 60_000;

/** A message of a line. */
export interface LineMessage {
  readonly id: bigint;
  readonly mark: number;
}

/** Lists the messages of lines, and writes those that are new to the journal before anybody else sees them. */
export class InboxListing {
  readonly #journal: InboxJournal;
  readonly #settings: InboxSettings;
  readonly #signal: AbortSignal;
  /** The words about records that cannot be read. The service lists them again and again. */
  readonly #reported = new Set<string>();
  #hasWarned = false;

  constructor(journal: InboxJournal, settings: InboxSettings, signal: AbortSignal) {
    this.#journal = journal;
    this.#settings = settings;
    this.#signal = signal;
  }

  /**
   * Lists messages. Those that are new are in the journal when it ends, also after a
   * failure: the service may have marked as read what has arrived.
   *
   * @param kind the record for a new message
   */
  async *list(line: string, isread: number, kind: 'message' | 'listed'): AsyncGenerator<LineMessage, void> {
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
        const mark = markOf(message);
        this.#write(line, isread, kind, message, mark);
        yield { id: message.messageid, mark };
      }
    } finally {
      await this.#journal.flush();
    }
  }

  #write(line: string, isread: number, kind: 'message' | 'listed', message: ApiReceive, mark: number): void {
    const { unread, read } = this.#settings;
    const state = this.#journal.state.line(line);
    const found = state.known.compare(message.messageid, mark);
    // A service that marks lists a message as unread once. Other services, and the list of read messages, may show a
    // message that was handled with another date.
    const isNew = found === 'redated' ? isread === unread && state.marks({ unread, read }) : found !== 'known';
    if (isNew) {
      if (kind === 'message' && found !== 'new') this.#warnOnce(line, message);
      this.#journal.append({ t: kind, line, isread, message: plainOf(message) });
    } else if (kind === 'listed') {
      // Messages that an earlier run has listed with other values, or at another service, tell nothing about these
      // values.
      const record = state.findUnlisted(message, { unread, read });
      if (record) this.#journal.append({ ...record, isread });
    }
  }

  #warnOnce(line: string, { messageid }: ApiReceive): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#settings.onWarning(
      `the journal knows another message ${messageid} of line ${line}: the service gives its ids again, as a sandbox without --data does after a restart, or the provider has moved; each of them is a message of its own`,
    );
  }

  #reportOnce(error: Error): void {
    if (this.#reported.has(error.message)) return;
    this.#reported.add(error.message);
    this.#settings.onFailure(error);
  }
}
