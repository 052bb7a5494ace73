import { randomUUID } from 'node:crypto';
import { inspect, isDeepStrictEqual } from 'node:util';
import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import { createMasker } from '../../internal/mask';
import { listOf } from '../../options/table';
import type { OperationName } from '../../types';
import { ArmedReplies } from '../replies/armed-replies';
import type { Change, StatusChange } from './changes';
import { DataFile, type KeptState } from './data-file';
import { offDelivery, readAdvance, readSimulation, type SandboxDelivery } from './delivery';
import {
  buildRecord,
  COST,
  type OutgoingMessage,
  type ReceivedEntry,
  readReceived,
  readStatus,
  type SentEntry,
  sentRecord,
  statusTextOf,
  unixSeconds,
} from './messages';
import { RequestLog, type SandboxRequest } from './request-log';
import { FIRST_ID, Ring } from './ring';

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
  | { readonly kind: 'sent' | 'status'; readonly entry: SentEntry }
  | { readonly kind: 'received'; readonly record: ApiReceive }
  | { readonly kind: 'removed'; readonly messageids: readonly bigint[] }
  | { readonly kind: 'delivery'; readonly delivery: SandboxDelivery }
  | { readonly kind: 'request'; readonly request: SandboxRequest }
  | { readonly kind: 'advanced' | 'replies' | 'reset' };

/**
 * Everything that a sandbox holds: messages, received messages, the setting of the simulated delivery, armed replies
 * and the last requests. Every change of what the data file keeps is first written, then applied, then reported.
 */
export class SandboxState implements KeptState {
  readonly settings: ServiceOptions;
  readonly replies: ArmedReplies;
  readonly requestLog: RequestLog;
  /** Replaces every API key in a text. */
  readonly mask: (text: string) => string;
  /** Each is given every event. */
  readonly listeners = new Set<(event: SandboxEvent) => void>();
  #data: DataFile | undefined;
  #started = randomUUID();
  #sent: Ring<SentEntry>;
  #received: Ring<ReceivedEntry>;
  #delivery: SandboxDelivery = offDelivery;
  #aheadMs = 0;

  constructor(settings: ServiceOptions) {
    this.settings = settings;
    this.mask = createMasker(...settings.apiKeys).mask;
    this.#sent = new Ring(settings.keep);
    this.#received = new Ring(settings.keep);
    this.replies = new ArmedReplies(() => this.#report({ kind: 'replies' }));
    this.requestLog = new RequestLog((request) => this.#report({ kind: 'request', request }));
  }

  /** Restores the state of a data file, which keeps every later change. */
  async keepIn(path: string): Promise<void> {
    this.#data = await DataFile.open(path, this);
  }

  /** With a data file, every later change throws, since the file could not keep it. */
  async close(): Promise<void> {
    await this.#data?.close();
  }

  /** Changes with each start and each reset, after which ids begin again. */
  get started(): string {
    return this.#started;
  }

  /** To be read only. */
  get sent(): Ring<SentEntry> {
    return this.#sent;
  }

  /** To be read only. */
  get received(): Ring<ReceivedEntry> {
    return this.#received;
  }

  get delivery(): SandboxDelivery {
    return this.#delivery;
  }

  get credit(): bigint {
    return this.settings.credit - BigInt(this.#sent.count) * BigInt(COST);
  }

  /** The time of the simulation, in milliseconds since 1970. */
  get simulatedMs(): number {
    return Date.now() + this.#aheadMs;
  }

  /** The key in examples, which anyone may see. It is never a key that the user chose. */
  get exampleKey(): string {
    return this.settings.apiKeys.includes(DEFAULT_API_KEY) ? DEFAULT_API_KEY : 'YOUR-API-KEY';
  }

  /** @returns the ids of the messages */
  send(operation: OperationName, messages: readonly OutgoingMessage[]): bigint[] {
    const now = unixSeconds();
    const nowMs = Date.now();
    const call = this.#sent.nextId;
    const changes = messages.map((message, index) => {
      const record = sentRecord(call + BigInt(index), message, now);
      const startMs = this.#aheadMs + (record.date > now ? Number(record.date) * 1000 : nowMs);
      return { t: 'sent', record, call, operation, mode: message.mode, startMs } as const;
    });
    this.#commit(changes);
    return changes.map(({ record }) => record.messageid);
  }

  /** Sets the status of the messages that are known. */
  cancel(messageids: readonly bigint[], status: number): void {
    const known = messageids.filter((messageid) => this.#sent.find(messageid) !== undefined);
    this.#commit(known.map((messageid) => ({ t: 'status', messageid, status, statustext: statusTextOf(status) })));
  }

  /**
   * @param given status and statustext
   * @returns the changed message, or undefined when no message has this id
   * @throws {WrongValue}
   */
  setStatus(messageid: bigint, given: unknown): SentEntry | undefined {
    const { status, statustext = statusTextOf(status) } = readStatus(given);
    if (this.#sent.find(messageid) === undefined) return undefined;
    this.#commit([{ t: 'status', messageid, status, statustext }]);
    return this.#sent.find(messageid);
  }

  /** Sets the statuses to which the simulation moves messages that are known. */
  takeSteps(steps: readonly StatusChange[]): void {
    this.#commit(steps);
  }

  /** @throws {WrongValue} */
  setDelivery(given: unknown): void {
    this.#commit([{ t: 'delivery', delivery: readSimulation(given) }]);
  }

  /**
   * Moves the simulated delivery ahead, and takes every step that is due by then.
   *
   * @param given `ms`, which is rounded
   * @throws {WrongValue}
   */
  advance(given: unknown): void {
    this.#commit([{ t: 'advanced', ms: readAdvance(given) }]);
    this.#report({ kind: 'advanced' });
  }

  /**
   * Removes messages. Their ids are not given again, and the credit stays as it is.
   *
   * @param messageids of messages that are known
   */
  remove(messageids: readonly bigint[]): void {
    this.#commit(messageids.map((messageid) => ({ t: 'removed', messageid })));
    if (messageids.length > 0) this.#report({ kind: 'removed', messageids });
  }

  /**
   * Adds a received message or a list.
   *
   * @throws {WrongValue} when a message is not of its type; then none is added
   */
  receive(given: unknown): ApiReceive[] {
    const messages = Array.isArray(given) ? listOf(readReceived)(given) : [readReceived(given)];
    const first = this.#received.nextId;
    const records = messages.map(({ sender, receptor, message, date = unixSeconds() }, index) =>
      buildRecord<ApiReceive>({ messageid: first + BigInt(index), message, sender, receptor, date }),
    );
    this.#commit(records.map((record) => ({ t: 'received', record })));
    return records;
  }

  /** Returns the messages of a line with this read state, oldest first, and marks them as read. */
  read(lineNumber: string | null, isread: 0 | 1): ApiReceive[] {
    const line = lineNumber ?? undefined;
    const records = this.#received
      .all()
      .filter((entry) => entry.isread === isread && entry.record.receptor === line)
      .map(({ record }) => record);
    if (isread === 0) this.#commit(records.map(({ messageid }) => ({ t: 'read', messageid })));
    return records;
  }

  /** Sets everything back to the start. */
  reset(): void {
    const { delivery = offDelivery } = this.settings;
    const isSame = isDeepStrictEqual(delivery, this.#delivery);
    this.#commit([{ t: 'reset' }, ...(isSame ? [] : [{ t: 'delivery' as const, delivery }])]);
    this.replies.clearAll();
    this.requestLog.reset();
    this.#started = randomUUID();
    this.#report({ kind: 'reset' });
  }

  /** Nothing depends on the opening of the data file. */
  begin(): void {}

  /** @returns false when the change cannot follow the changes before it */
  apply(change: Change): boolean {
    switch (change.t) {
      case 'sent':
        if (change.record.messageid !== this.#sent.nextId) return false;
        this.#sent.add(change);
        break;
      case 'status': {
        const { messageid, status, statustext, stepMs } = change;
        const entry = this.#sent.find(messageid);
        // The step is the last one; a status that is set by hand ends the simulation.
        const steps = stepMs === undefined ? { startMs: undefined } : { stepMs };
        if (entry)
          this.#sent.replace(messageid, { ...entry, record: { ...entry.record, status, statustext }, ...steps });
        break;
      }
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
        if (change.record.messageid !== this.#received.nextId) return false;
        this.#received.add({ record: change.record, isread: change.isread ?? 0 });
        break;
      case 'read': {
        const entry = this.#received.find(change.messageid);
        if (entry) this.#received.replace(change.messageid, { ...entry, isread: 1 });
        break;
      }
      case 'used': {
        const ring = change.list === 'sent' ? this.#sent : this.#received;
        if (change.next < ring.nextId) return false;
        ring.skipTo(change.next);
        break;
      }
      case 'reset':
        this.#sent = new Ring(this.settings.keep);
        this.#received = new Ring(this.settings.keep);
        this.#aheadMs = 0;
    }
    return true;
  }

  *contents(): Generator<Change> {
    yield { t: 'delivery', delivery: this.#delivery };
    if (this.#aheadMs > 0) yield { t: 'advanced', ms: this.#aheadMs };
    yield* withUsedIds('sent', this.#sent, (entry) => ({ ...entry, t: 'sent' }));
    yield* withUsedIds('received', this.#received, ({ record, isread }) => ({
      t: 'received',
      record,
      ...(isread === 1 && { isread }),
    }));
  }

  /**
   * Shows a failure to the user of the sandbox on stderr, without any API key.
   *
   * @returns the message of the failure, without any API key
   */
  reportFailure(error: unknown): string {
    console.error(this.mask(inspect(error)));
    return this.mask(error instanceof Error ? error.message : String(error));
  }

  #commit(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    this.#data?.append(changes);
    for (const change of changes) {
      this.apply(change);
      this.#reportChange(change);
    }
    this.#data?.rewriteIfGrown();
  }

  #reportChange(change: Change): void {
    if (change.t === 'sent') this.#report({ kind: 'sent', entry: change });
    if (change.t === 'status') this.#report({ kind: 'status', entry: this.#sent.find(change.messageid) as SentEntry });
    if (change.t === 'received') this.#report({ kind: 'received', record: change.record });
    if (change.t === 'delivery') this.#report({ kind: 'delivery', delivery: change.delivery });
  }

  #report(event: SandboxEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}

/** The changes that add up to a list, with the ids whose messages were dropped or removed. */
function* withUsedIds<T extends { readonly record: { readonly messageid: bigint } }>(
  list: 'sent' | 'received',
  ring: Ring<T>,
  changeOf: (entry: T) => Change,
): Generator<Change> {
  let next = FIRST_ID;
  for (const entry of ring.all()) {
    const { messageid } = entry.record;
    if (messageid !== next) yield { t: 'used', list, next: messageid };
    yield changeOf(entry);
    next = messageid + 1n;
  }
  if (next !== ring.nextId) yield { t: 'used', list, next: ring.nextId };
}
