import { isDeepStrictEqual } from 'node:util';
import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import { offDelivery, type SandboxDelivery } from './delivery-setting';
import { type ReceivedMessage, ReceivedMessages } from './received-messages';
import { type OutgoingMessage, type SentEntry, SentMessages, statusTextOf } from './sent-messages';

/** A change of one record, or of everything. */
export type Change =
  | ({ readonly kind: 'sent' } & SentEntry)
  | StatusChange
  | { readonly kind: 'removed'; readonly messageid: bigint }
  | { readonly kind: 'received'; readonly record: ApiReceive }
  | { readonly kind: 'read'; readonly messageid: bigint }
  | { readonly kind: 'delivery'; readonly delivery: SandboxDelivery }
  | { readonly kind: 'advanced'; readonly ms: number }
  | { readonly kind: 'reset' };

export interface StatusChange {
  readonly kind: 'status';
  readonly messageid: bigint;
  readonly status: number;
  readonly statustext: string;
  /** The `afterMs` of the step that sets the status. Absent when the status is set by hand. */
  readonly stepMs?: number;
}

/** Keeps changes before they take effect. */
export interface ChangeLog {
  /** @throws when the changes could not be kept; then none of them is kept */
  append(changes: readonly Change[]): void;
}

/**
 * The messages that were sent and received, and the setting of their simulated delivery. Every change is first logged,
 * then applied, then reported.
 */
export class MessageStore {
  /** Logs the changes from now on. */
  log: ChangeLog | undefined;
  readonly #keep: number;
  readonly #report: (change: Change) => void;
  #sent: SentMessages;
  #received: ReceivedMessages;
  #delivery: SandboxDelivery = offDelivery;
  #aheadMs = 0;

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

  get delivery(): SandboxDelivery {
    return this.#delivery;
  }

  /** The time of the simulation, in milliseconds since 1970. */
  get simulatedMs(): number {
    return Date.now() + this.#aheadMs;
  }

  /** @returns the ids of the messages */
  send(messages: readonly OutgoingMessage[]): bigint[] {
    const entries = this.#sent.build(messages, this.#aheadMs);
    this.#commit(entries.map((entry) => ({ kind: 'sent', ...entry })));
    return entries.map(({ record }) => record.messageid);
  }

  /** Ignores unknown ids. @param statustext default: the sandbox's own text for the status */
  setStatus(messageids: readonly bigint[], status: number, statustext = statusTextOf(status)): void {
    const known = messageids.filter((messageid) => this.#sent.find(messageid) !== undefined);
    this.#commit(known.map((messageid) => ({ kind: 'status', messageid, status, statustext })));
  }

  /** Sets the statuses to which the simulation moves messages that are known. */
  takeSteps(steps: readonly StatusChange[]): void {
    this.#commit(steps);
  }

  setDelivery(delivery: SandboxDelivery): void {
    this.#commit([{ kind: 'delivery', delivery }]);
  }

  /** Moves the clock of the simulation ahead. */
  advance(ms: number): void {
    this.#commit([{ kind: 'advanced', ms }]);
  }

  /** @param messageids of messages that are known */
  remove(messageids: readonly bigint[]): void {
    this.#commit(messageids.map((messageid) => ({ kind: 'removed', messageid })));
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

  /** @param delivery the setting with which the sandbox was started */
  reset(delivery: SandboxDelivery): void {
    const isSame = isDeepStrictEqual(delivery, this.#delivery);
    this.#commit([{ kind: 'reset' }, ...(isSame ? [] : [{ kind: 'delivery' as const, delivery }])]);
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
        this.#sent.add(entryOf(change));
        break;
      case 'status':
        this.#sent.setStatus(change.messageid, change.status, change.statustext, change.stepMs);
        break;
      case 'removed':
        this.#sent.remove(change.messageid);
        break;
      case 'delivery':
        this.#delivery = change.delivery;
        break;
      case 'advanced':
        this.#aheadMs += change.ms;
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
        this.#aheadMs = 0;
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

function entryOf({ kind, ...entry }: { readonly kind: 'sent' } & SentEntry): SentEntry {
  return entry;
}
