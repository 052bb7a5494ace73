import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';
import { Inbox, type ReceivedMessage } from './inbox';
import { COST, indexOf, Outbox, type OutgoingMessage, statusTextOf } from './outbox';

/** A change of the state, which concerns one record. */
export type Change =
  | { readonly kind: 'sent'; readonly record: ApiSelect }
  | { readonly kind: 'status'; readonly messageid: bigint; readonly status: number; readonly statustext: string }
  | { readonly kind: 'received'; readonly record: ApiReceive }
  | { readonly kind: 'read'; readonly messageid: bigint }
  | { readonly kind: 'reset' };

/** Where changes are kept before they take effect. */
export interface ChangeLog {
  /** @throws when the changes could not be kept; then none of them is */
  append(changes: readonly Change[]): void;
}

/** The messages that were sent and received. Every change is kept first, then applied, then reported. */
export class State {
  /** Keeps the changes from now on. */
  log: ChangeLog | undefined;
  readonly #keep: number;
  readonly #report: (change: Change) => void;
  #outbox: Outbox;
  #inbox: Inbox;

  constructor(keep: number, report: (change: Change) => void) {
    this.#keep = keep;
    this.#report = report;
    this.#outbox = new Outbox(keep);
    this.#inbox = new Inbox(keep);
  }

  get outbox(): Outbox {
    return this.#outbox;
  }

  get inbox(): Inbox {
    return this.#inbox;
  }

  /** What all messages cost together. */
  get spent(): bigint {
    return BigInt(this.#outbox.ring.count) * BigInt(COST);
  }

  send(messages: readonly OutgoingMessage[]): bigint[] {
    const records = this.#outbox.build(messages);
    this.#commit(records.map((record) => ({ kind: 'sent', record })));
    return records.map(({ messageid }) => messageid);
  }

  /** Unknown ids are left out. @param statustext default: the sandbox's own text of the status */
  setStatus(messageids: readonly bigint[], status: number, statustext = statusTextOf(status)): void {
    const known = messageids.filter((messageid) => this.#outbox.find(messageid) !== undefined);
    this.#commit(known.map((messageid) => ({ kind: 'status', messageid, status, statustext })));
  }

  /** @param fieldOf the name of a message for errors */
  receive(messages: readonly ReceivedMessage[], fieldOf: (index: number) => string): ApiReceive[] {
    const records = this.#inbox.build(messages, fieldOf);
    this.#commit(records.map((record) => ({ kind: 'received', record })));
    return records;
  }

  /** The messages of a line with that read state. They count as read from then on. */
  read(lineNumber: string | null, isread: 0 | 1): ApiReceive[] {
    const records = this.#inbox.select(lineNumber, isread);
    if (isread === 0) this.#commit(records.map(({ messageid }) => ({ kind: 'read', messageid })));
    return records;
  }

  reset(): void {
    this.#commit([{ kind: 'reset' }]);
  }

  /**
   * Applies a change that was kept before.
   *
   * @returns false when it cannot follow those before it
   */
  restore(change: Change): boolean {
    if (change.kind === 'sent' || change.kind === 'received') {
      const { ring } = change.kind === 'sent' ? this.#outbox : this.#inbox;
      if (indexOf(change.record.messageid) !== ring.count) return false;
    }
    this.#apply(change);
    return true;
  }

  #apply(change: Change): void {
    switch (change.kind) {
      case 'sent':
        this.#outbox.ring.add(change.record);
        break;
      case 'status':
        this.#outbox.setStatus(change.messageid, change.status, change.statustext);
        break;
      case 'received':
        this.#inbox.ring.add({ record: change.record, isread: 0 });
        break;
      case 'read':
        this.#inbox.markRead(change.messageid);
        break;
      case 'reset':
        this.#outbox = new Outbox(this.#keep);
        this.#inbox = new Inbox(this.#keep);
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
