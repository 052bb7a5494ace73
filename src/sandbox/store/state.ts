import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import { createMasker } from '../../internal/mask';
import { listOf } from '../../options/table';
import type { OperationName } from '../../types';
import { ArmedReplies } from '../replies/armed-replies';
import type { Change, KeptReceived, SentMessage } from './changes';
import { DataFile, type KeptState } from './data-file';
import { offDelivery, readAdvance, readSimulation, type SandboxDelivery } from './delivery';
import { FIRST_ID, Kept } from './kept';
import { LastChange } from './last-change';
import {
  buildRecord,
  COST,
  type OutgoingMessage,
  readReceived,
  readStatus,
  sentRecord,
  statusTextOf,
  unixSeconds,
} from './messages';
import { RequestLog, type SandboxRequest } from './request-log';

/** The API key of a sandbox that is given no key. */
export const DEFAULT_API_KEY = 'sandbox-key';

/** The options that concern the service and not its HTTP server. */
export interface ServiceOptions {
  readonly namespace: string;
  readonly apiKeys: readonly [string, ...string[]];
  readonly strict: boolean;
  readonly credit: bigint;
  readonly keep: number;
  /** Undefined leaves it to the data file, and switches the simulation off without one. */
  readonly delivery: SandboxDelivery | undefined;
}

/** Something that happened in a sandbox. */
export type SandboxEvent =
  | Change
  | { readonly t: 'request'; readonly request: SandboxRequest }
  /** A reply was armed, used or disarmed. */
  | { readonly t: 'replies' };

/**
 * Everything that a sandbox holds: messages, received messages, the setting of the simulated delivery, armed replies
 * and the last requests. Every change of what the data file keeps is first written, then applied, then reported.
 */
export class SandboxState implements KeptState {
  readonly replies: ArmedReplies;
  readonly requestLog: RequestLog;
  readonly lastChange = new LastChange();
  /** Replaces every API key in a text. */
  readonly mask: (text: string) => string;
  /** Each is given every event. */
  readonly listeners = new Set<(event: SandboxEvent) => void>();
  // Only `apply` changes the next four.
  readonly sent: Kept<SentMessage>;
  readonly received: Kept<KeptReceived>;
  delivery: SandboxDelivery = offDelivery;
  /** Changes with each start and each reset, after which ids begin again. */
  started = randomUUID();
  #aheadMs = 0;
  #data: DataFile | undefined;

  constructor(readonly options: ServiceOptions) {
    this.mask = createMasker(...options.apiKeys).mask;
    this.sent = new Kept(options.keep);
    this.received = new Kept(options.keep);
    this.replies = new ArmedReplies(() => this.#report({ t: 'replies' }));
    this.requestLog = new RequestLog((request) => this.#report({ t: 'request', request }));
  }

  /** Restores the state of a data file, which keeps every later change. */
  async keepIn(path: string): Promise<void> {
    this.#data = await DataFile.open(path, this);
  }

  /** With a data file, every later change throws, since the file could not keep it. */
  async close(): Promise<void> {
    await this.#data?.close();
  }

  get credit(): bigint {
    return this.options.credit - (this.sent.nextId - FIRST_ID) * BigInt(COST);
  }

  /** The time of the simulation, in milliseconds since 1970. */
  get simulatedMs(): number {
    return Date.now() + this.#aheadMs;
  }

  /** The key in examples, which anyone may see. It is never a key that the user chose. */
  get exampleKey(): string {
    return this.options.apiKeys.includes(DEFAULT_API_KEY) ? DEFAULT_API_KEY : 'YOUR-API-KEY';
  }

  /** @returns the ids of the messages */
  send(operation: OperationName, messages: readonly OutgoingMessage[]): bigint[] {
    const now = unixSeconds();
    const nowMs = Date.now();
    const call = this.sent.nextId;
    const changes = messages.map((message, index) => {
      const record = sentRecord(call + BigInt(index), message, now);
      const startMs = this.#aheadMs + (record.date > now ? Number(record.date) * 1000 : nowMs);
      return { t: 'sent', record, call, operation, mode: message.mode, startMs } as const;
    });
    this.commit(changes);
    return changes.map(({ record }) => record.messageid);
  }

  /** @returns the changed message, or undefined when no message has this id. @throws {WrongValue} */
  setStatus(messageid: bigint, given: unknown): SentMessage | undefined {
    const { status, statustext = statusTextOf(status) } = readStatus(given);
    if (this.sent.find(messageid) === undefined) return undefined;
    this.commit([{ t: 'status', messageid, status, statustext }]);
    return this.sent.find(messageid);
  }

  /** Makes messages again as they were. */
  restore(messages: readonly SentMessage[]): void {
    this.commit(messages.map((message) => ({ ...message, t: 'restored' })));
  }

  /** @throws {WrongValue} */
  setDelivery(given: unknown): void {
    this.commit([{ t: 'delivery', delivery: readSimulation(given) }]);
  }

  /** Moves the simulated delivery ahead, and takes every step that is due by then. @throws {WrongValue} */
  advance(given: unknown): void {
    this.commit([{ t: 'advanced', ms: readAdvance(given) }]);
  }

  /** Adds a received message or a list. @throws {WrongValue} when a message is not of its type; then none is added */
  receive(given: unknown): KeptReceived[] {
    const messages = Array.isArray(given) ? listOf(readReceived)(given) : [readReceived(given)];
    const first = this.received.nextId;
    const changes = messages.map(({ sender, receptor, message, date = unixSeconds() }, index) => {
      const record = buildRecord<ApiReceive>({ messageid: first + BigInt(index), message, sender, receptor, date });
      return { t: 'received', record, isread: 0 } as const;
    });
    this.commit(changes);
    return changes;
  }

  /** Sets everything back to the start. */
  reset(): void {
    this.commit([{ t: 'reset' }, { t: 'delivery', delivery: this.options.delivery ?? offDelivery }]);
  }

  /** Writes changes, applies them and reports them. @throws when they could not be kept; then none takes effect */
  commit(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    this.#data?.append(changes);
    for (const change of changes) {
      this.apply(change);
      this.#report(change);
    }
  }

  /** @returns false when the change cannot follow the changes before it */
  apply(change: Change): boolean {
    const { sent, received } = this;
    switch (change.t) {
      case 'sent':
        if (change.record.messageid !== sent.nextId) return false;
        sent.add(change);
        break;
      case 'status': {
        const { messageid, status, statustext, stepMs } = change;
        // The step is the last one; a status that is set by hand ends the simulation.
        const steps = stepMs === undefined ? { startMs: undefined } : { stepMs };
        sent.replace(messageid, ({ record, ...others }) => {
          return { ...others, record: { ...record, status, statustext }, ...steps };
        });
        break;
      }
      case 'removed':
        for (const messageid of change.messageids) sent.remove(messageid);
        break;
      case 'restored':
        sent.restore(change.record.messageid, { ...change, t: 'sent' });
        break;
      case 'delivery':
        this.delivery = change.delivery;
        break;
      case 'advanced':
        this.#aheadMs += change.ms;
        break;
      case 'received':
        if (change.record.messageid !== received.nextId) return false;
        received.add(change);
        break;
      case 'read':
        for (const messageid of change.messageids) received.replace(messageid, (kept) => ({ ...kept, isread: 1 }));
        break;
      case 'used': {
        const list = this[change.list];
        if (change.next < list.nextId) return false;
        list.skipTo(change.next);
        break;
      }
      case 'reset':
        sent.clear();
        received.clear();
        this.#aheadMs = 0;
        this.replies.clearAll();
        this.requestLog.reset();
        this.lastChange.forget();
        this.started = randomUUID();
    }
    return true;
  }

  *contents(): Generator<Change> {
    yield { t: 'delivery', delivery: this.delivery };
    if (this.#aheadMs > 0) yield { t: 'advanced', ms: this.#aheadMs };
    // The ids whose messages were dropped or removed stay used.
    for (const list of ['sent', 'received'] as const) {
      let next = FIRST_ID;
      for (const message of this[list].all()) {
        const { messageid } = message.record;
        if (messageid !== next) yield { t: 'used', list, next: messageid };
        yield message;
        next = messageid + 1n;
      }
      if (next !== this[list].nextId) yield { t: 'used', list, next: this[list].nextId };
    }
  }

  /** Shows a failure on stderr without any API key. @returns the message of the failure, without any API key */
  reportFailure(error: unknown): string {
    console.error(this.mask(inspect(error)));
    return this.mask(error instanceof Error ? error.message : String(error));
  }

  #report(event: SandboxEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}
