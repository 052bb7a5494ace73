import { randomUUID } from 'node:crypto';
import { inspect, isDeepStrictEqual } from 'node:util';
import type { ApiReceive } from '../../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { createMasker } from '../../internal/mask';
import { isInRange } from '../../xml/integers';
import { offDelivery, type SandboxDelivery } from '../store/delivery-setting';
import { type Change, MessageStore } from '../store/message-store';
import type { ReceivedMessage } from '../store/received-messages';
import type { SentEntry } from '../store/sent-messages';
import { ArmedReplies } from './armed-replies';
import { checkDelivery, checkMs } from './check-delivery';
import { DeliverySimulation } from './delivery-simulation';
import { Endpoint } from './endpoint';
import { checkFields, checkInt, checkText, FieldError, fieldPath, wrongField } from './field-error';
import { RequestLog, type SandboxRequest } from './request-log';
import { Service } from './service';

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
  readonly onRequest: ((request: SandboxRequest) => void | Promise<void>) | undefined;
}

/** Something that happened in a sandbox. */
export type SandboxEvent =
  | { readonly kind: 'sent' | 'status'; readonly entry: SentEntry }
  | { readonly kind: 'received'; readonly record: ApiReceive }
  | { readonly kind: 'removed'; readonly messageids: readonly bigint[] }
  | { readonly kind: 'delivery'; readonly delivery: SandboxDelivery }
  | { readonly kind: 'request'; readonly request: SandboxRequest }
  | { readonly kind: 'replies' | 'reset' };

/**
 * Everything that a sandbox holds and can do, without HTTP. The TypeScript and the control interface are layers over
 * it.
 */
export class RunningSandbox {
  readonly settings: ServiceOptions;
  readonly store: MessageStore;
  readonly simulation: DeliverySimulation;
  readonly service: Service;
  readonly replies: ArmedReplies;
  readonly endpoint: Endpoint;
  readonly requestLog: RequestLog;
  /** Replaces every API key in a text. */
  readonly mask: (text: string) => string;
  /** Each is given every message that is sent. */
  readonly sentListeners = new Set<(record: ApiSelect) => void>();
  readonly #report: (event: SandboxEvent) => void;
  #started = randomUUID();

  /** @param report is given each event */
  constructor(settings: ServiceOptions, report: (event: SandboxEvent) => void) {
    this.settings = settings;
    this.mask = createMasker(...settings.apiKeys).mask;
    this.#report = report;
    this.store = new MessageStore(settings.keep, (change) => this.#reportChange(change));
    this.simulation = new DeliverySimulation(this.store, (error) => this.reportFailure(error));
    this.service = new Service(settings, this.store);
    this.replies = new ArmedReplies(() => report({ kind: 'replies' }));
    this.endpoint = new Endpoint(settings, this.service, this.replies, (error) => this.reportFailure(error));
    this.requestLog = new RequestLog((request) => {
      report({ kind: 'request', request });
      if (settings.onRequest !== undefined) void this.#callBack(settings.onRequest, request);
    });
  }

  /** Changes with each start and each reset, after which ids begin again. */
  get started(): string {
    return this.#started;
  }

  /** The key in examples, which anyone may see. It is never a key that the user chose. */
  get exampleKey(): string {
    return this.settings.apiKeys.includes(DEFAULT_API_KEY) ? DEFAULT_API_KEY : 'YOUR-API-KEY';
  }

  /** @throws {FieldError} when a message is not of its type; then none is added */
  receive(messages: readonly ReceivedMessage[], fieldOf = (index: number): string => `[${index}]`): ApiReceive[] {
    messages.forEach((message, index) => {
      checkReceived(fieldOf(index), message);
    });
    return this.store.receive(messages);
  }

  /**
   * @returns the changed message, or undefined when no message has this id
   * @throws {FieldError} when an argument is not of its type
   */
  setStatus(messageid: bigint, status: number, statustext?: string): SentEntry | undefined {
    checkInt('status', status);
    if (statustext !== undefined) checkText('statustext', statustext);
    this.store.setStatus([messageid], status, statustext);
    return this.store.sent.find(messageid);
  }

  /**
   * Removes messages. Their ids are not given again, and the credit stays as it is.
   *
   * @param messageids of messages that are known
   */
  remove(messageids: readonly bigint[]): void {
    this.store.remove(messageids);
    if (messageids.length > 0) this.#report({ kind: 'removed', messageids });
  }

  /** Applies a change of the data file. @returns false for a change that no sandbox writes */
  restore(change: Change): boolean {
    if (change.kind !== 'delivery') return this.store.restore(change);
    try {
      return this.store.restore({ ...change, delivery: checkDelivery(change.delivery) });
    } catch (error) {
      if (error instanceof FieldError) return false;
      throw error;
    }
  }

  /** Starts the simulated delivery, by the setting with which the sandbox was started, or that of the data file. */
  startDelivery(): void {
    const { delivery } = this.settings;
    if (delivery !== undefined && !isDeepStrictEqual(delivery, this.store.delivery)) this.store.setDelivery(delivery);
    else this.simulation.restart();
  }

  /**
   * Moves the simulated delivery ahead, and takes every step that is due by then.
   *
   * @param ms is rounded, because a product such as 16.1 * 1000 is not whole
   * @throws {FieldError}
   */
  advance(ms: number): void {
    const whole = typeof ms === 'number' ? Math.round(ms) : ms;
    checkMs('ms', whole);
    this.store.advance(whole);
    this.simulation.run();
  }

  /** Sets everything back to the start. */
  reset(): void {
    this.store.reset(this.settings.delivery ?? offDelivery);
    this.simulation.restart();
    this.replies.clearAll();
    this.requestLog.reset();
    this.#started = randomUUID();
    this.#report({ kind: 'reset' });
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

  #reportChange(change: Change): void {
    if (change.kind === 'received') this.#report(change);
    if (change.kind === 'sent') {
      this.simulation.follow(change);
      this.#report({ kind: 'sent', entry: change });
      for (const listener of this.sentListeners) listener(change.record);
    }
    if (change.kind === 'status') {
      this.#report({ kind: 'status', entry: this.store.sent.find(change.messageid) as SentEntry });
    }
    if (change.kind === 'delivery') {
      this.simulation.restart();
      this.#report(change);
    }
  }

  /** The callback may be asynchronous. */
  async #callBack(onRequest: NonNullable<ServiceOptions['onRequest']>, request: SandboxRequest): Promise<void> {
    try {
      await onRequest(request);
    } catch (error) {
      this.reportFailure(error);
    }
  }
}

function checkReceived(field: string, message: ReceivedMessage): void {
  checkFields(field, message, ['sender', 'receptor', 'message', 'date'] satisfies (keyof ReceivedMessage)[]);
  for (const name of ['sender', 'receptor', 'message'] as const) {
    if (message[name] !== null) checkText(fieldPath(field, name), message[name]);
  }
  const { date } = message;
  const isWhole = typeof date === 'bigint' || Number.isSafeInteger(date);
  if (date !== undefined && !(isWhole && isInRange('long', date))) {
    throw wrongField(fieldPath(field, 'date'), date, 'a whole number of seconds');
  }
}
