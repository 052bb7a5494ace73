import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { type ReceivedMessage, ReceivedMessages } from './received-messages';
import { type OutgoingMessage, SentMessages, statusTextOf } from './sent-messages';

/** A change of one record, or of everything. */
export type Change =
  | { readonly kind: 'sent'; readonly record: ApiSelect }
  | { readonly kind: 'status'; readonly messageid: bigint; readonly status: number; readonly statustext: string }
  | { readonly kind: 'received'; readonly record: ApiReceive }
  | { readonly kind: 'read'; readonly messageid: bigint }
  | { readonly kind: 'reset' };

/** Keeps changes before they take effect. */
export interface ChangeLog {
  /** @throws when the changes could not be kept; then none of them is kept */
  append(changes: readonly Change[]): void;
}

/** The messages that were sent and received. Every change is first logged, then applied, then reported. */
export class MessageStore {
  /** Logs the changes from now on. */
  log: ChangeLog | undefined;
  readonly #keep: number;
  readonly #report: (change: Change) => void;
  #sent: SentMessages;
  #received: ReceivedMessages;

  constructor(keep: number, report: (change: Change) => void) {
    this.#keep = keep;
    this.#report = report;
    this.#sent = new SentMessages(keep);
    this.#received = new ReceivedMessages(keep);
  }

  /** To be read only. The store makes every change. */
  get sent(): SentMessages {
    return this.#sent;
  }

  /** To be read only. The store makes every change. */
  get received(): ReceivedMessages {
    return this.#received;
  }

  /** @returns the ids of the messages */
  send(messages: readonly OutgoingMessage[]): bigint[] {
    const records = this.#sent.build(messages);
    this.#commit(records.map((record) => ({ kind: 'sent', record })));
    return records.map(({ messageid }) => messageid);
  }

  /** Ignores unknown ids. @param statustext default: the sandbox's own text for the status */
  setStatus(messageids: readonly bigint[], status: number, statustext = statusTextOf(status)): void {
    const known = messageids.filter((messageid) => this.#sent.find(messageid) !== undefined);
    this.#commit(known.map((messageid) => ({ kind: 'status', messageid, status, statustext })));
  }

  receive(messages: readonly ReceivedMessage[]): ApiReceive[] {
    const records = this.#received.build(messages);
    this.#commit(records.map((record) => ({ kind: 'received', record })));
    return records;
  }

  /** Returns the messages of a line with this read state and marks them as read. */
  read(lineNumber: string | null, isread: 0 | 1): ApiReceive[] {
    const records = this.#received.select(lineNumber, isread);
    if (isread === 0) this.#commit(records.map(({ messageid }) => ({ kind: 'read', messageid })));
    return records;
  }

  reset(): void {
    this.#commit([{ kind: 'reset' }]);
  }

  /**
   * Applies a change that was logged by an earlier process.
   *
   * @returns false when the change cannot follow the changes before it
   */
  restore(change: Change): boolean {
    if (change.kind === 'sent' || change.kind === 'received') {
      const { nextId } = change.kind === 'sent' ? this.#sent : this.#received;
      if (change.record.messageid !== nextId) return false;
    }
    this.#apply(change);
    return true;
  }

  #apply(change: Change): void {
    switch (change.kind) {
      case 'sent':
        this.#sent.add(change.record);
        break;
      case 'status':
        this.#sent.setStatus(change.messageid, change.status, change.statustext);
        break;
      case 'received':
        this.#received.add({ record: change.record, isread: 0 });
        break;
      case 'read':
        this.#received.markRead(change.messageid);
        break;
      case 'reset':
        this.#sent = new SentMessages(this.#keep);
        this.#received = new ReceivedMessages(this.#keep);
        break;
    }
  }

  #commit(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    this.log?.append(changes);
    for (const change of changes) {
      this.#apply(change);
      this.#report(change);
    }
  }
}
