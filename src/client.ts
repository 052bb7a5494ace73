/// <reference lib="esnext.disposable" preserve="true" />
import { RequestError } from './errors';
import type { CallOptions, MessagingOptions, OptionOverrides } from './options';
import { readEnvironment } from './settings/environment';
import { resolveOptions } from './settings/resolve';

import { Caller } from './soap/caller';
import type {
  MessagingRecord,
  MessagingRequest,
  MessagingResponse,
  MessagingResult,
  OperationName,
  RecordOperation,
  RequestDefaults,
} from './types';

/**
 * Client of the Messaging Service SOAP Interface, Version 1: one method per operation, and for the operations that list
 * records one that streams them.
 *
 * Every method puts the API key, status and statusmessage around its request, sends it once, checks the answer's status
 * against `successStatuses` and gives the plain result. Nothing is retried unless `retries` is given, and no redirect is followed.
 * Every failure rejects with a MessagingError whose `outcome` says whether the request took effect. Fields are the contract's
 * elements: a field that is left out takes its value from `defaults`; null leaves out an element that the WSDL allows to be absent.
 * `D` is the type of `defaults`; the fields that it holds are optional.
 */
export class MessagingClient<D extends RequestDefaults = Record<never, never>> {
  readonly #caller: Caller;

  /** @throws {ConfigurationError} when an option is missing or wrong */
  constructor(options: MessagingOptions<D>) {
    this.#caller = new Caller(resolveOptions(options));
  }

  /**
   * A client with its options from the environment (`MESSAGING_BASE_URL` and so on, see MessagingOptions).
   *
   * @param overrides options that win over the environment
   * @throws {ConfigurationError} when an option is missing or wrong
   */
  static fromEnv<D extends RequestDefaults = Record<never, never>>(
    overrides: OptionOverrides<D> = {},
  ): MessagingClient<D> {
    // What is missing in both is reported by the constructor.
    return new MessagingClient(readEnvironment(overrides, process.env) as MessagingOptions<D>);
  }

  /** SendSimpleByApikey: sends one text from one sender to each receptor. The contract does not define what the returned longs mean. */
  sendSimple(request: MessagingRequest<'SendSimpleByApikey', D>, options?: CallOptions): Promise<bigint[]> {
    return this.#caller.result('SendSimpleByApikey', request, options);
  }

  /** SendArrayByApikey: sends several messages. The contract does not define how the lists pair up, or what the returned longs mean. */
  sendArray(request: MessagingRequest<'SendArrayByApikey', D>, options?: CallOptions): Promise<bigint[]> {
    return this.#caller.result('SendArrayByApikey', request, options);
  }

  /** SendAdvance: sends to a single receptor. The contract does not define the effect of fallbackurl and clientmessageid. */
  sendAdvance(request: MessagingRequest<'SendAdvance', D>, options?: CallOptions): Promise<bigint> {
    return this.#caller.result('SendAdvance', request, options);
  }

  /** SelectoutboxByApikey: the messages sent between startUnixdate and endUnixdate. The contract does not define their unit and time zone. */
  selectOutbox(
    request: MessagingRequest<'SelectoutboxByApikey', D>,
    options?: CallOptions,
  ): Promise<MessagingResult<'SelectoutboxByApikey'>> {
    return this.#caller.result('SelectoutboxByApikey', request, options);
  }

  /** SelectByApikey: the sent-message records with the given ids. */
  select(
    request: MessagingRequest<'SelectByApikey', D>,
    options?: CallOptions,
  ): Promise<MessagingResult<'SelectByApikey'>> {
    return this.#caller.result('SelectByApikey', request, options);
  }

  /** SelectlatestByApikey: the latest sent messages, as many as pagesize says. */
  selectLatest(
    request: MessagingRequest<'SelectlatestByApikey', D>,
    options?: CallOptions,
  ): Promise<MessagingResult<'SelectlatestByApikey'>> {
    return this.#caller.result('SelectlatestByApikey', request, options);
  }

  /** ReceiveByApikey: the messages received on a line, by read state. The contract does not define the values of isread. */
  receive(
    request: MessagingRequest<'ReceiveByApikey', D>,
    options?: CallOptions,
  ): Promise<MessagingResult<'ReceiveByApikey'>> {
    return this.#caller.result('ReceiveByApikey', request, options);
  }

  /** GetStatusByApikey: one list of int for the given ids. The contract does not define what the ints mean. */
  getStatus(request: MessagingRequest<'GetStatusByApikey', D>, options?: CallOptions): Promise<number[]> {
    return this.#caller.result('GetStatusByApikey', request, options);
  }

  /** CancelByApikey: one list of int for the given ids. The contract does not define what the ints mean. */
  cancel(request: MessagingRequest<'CancelByApikey', D>, options?: CallOptions): Promise<number[]> {
    return this.#caller.result('CancelByApikey', request, options);
  }

  /** RemainCreditByApiKey: the remaining credit. The contract does not define its unit. The operation has no fields to fill. */
  remainCredit(request: MessagingRequest<'RemainCreditByApiKey', D> = {}, options?: CallOptions): Promise<bigint> {
    return this.#caller.result('RemainCreditByApiKey', request, options);
  }

  /**
   * `selectOutbox`, record by record as bytes arrive, in constant memory. The request is sent when the first record is asked for;
   * leaving the loop aborts it. The iteration ends only when the whole answer was read and its status checked; else it rejects.
   */
  selectOutboxStream(
    request: MessagingRequest<'SelectoutboxByApikey', D>,
    options?: CallOptions,
  ): AsyncIterableIterator<MessagingRecord<'SelectoutboxByApikey'>> {
    return this.#caller.records('SelectoutboxByApikey', request, options);
  }

  /** `select`, record by record as bytes arrive. */
  selectStream(
    request: MessagingRequest<'SelectByApikey', D>,
    options?: CallOptions,
  ): AsyncIterableIterator<MessagingRecord<'SelectByApikey'>> {
    return this.#caller.records('SelectByApikey', request, options);
  }

  /** `selectLatest`, record by record as bytes arrive. */
  selectLatestStream(
    request: MessagingRequest<'SelectlatestByApikey', D>,
    options?: CallOptions,
  ): AsyncIterableIterator<MessagingRecord<'SelectlatestByApikey'>> {
    return this.#caller.records('SelectlatestByApikey', request, options);
  }

  /** `receive`, record by record as bytes arrive. */
  receiveStream(
    request: MessagingRequest<'ReceiveByApikey', D>,
    options?: CallOptions,
  ): AsyncIterableIterator<MessagingRecord<'ReceiveByApikey'>> {
    return this.#caller.records('ReceiveByApikey', request, options);
  }

  /**
   * Any operation by its contract name, without the check of the status: result, status and statusmessage as they came.
   *
   * @throws {RequestError} also when there is no such operation
   */
  call<O extends OperationName>(
    operation: O,
    request: MessagingRequest<O, D>,
    options?: CallOptions,
  ): Promise<MessagingResponse<O>> {
    // Without a name, the message would begin with `undefined`, in place of an operation.
    if (typeof operation !== 'string') return Promise.reject(unnamedOperation());
    return this.#caller.call(operation, request, options);
  }

  /**
   * Lets calls under way finish, then closes the connections. A call after it rejects.
   *
   * @param options.withinMs after this time, in milliseconds, calls that are still under way reject with a ConnectionError. Default: never
   * @throws {ConfigurationError} when `withinMs` is wrong, and for any other option
   */
  close(options: { readonly withinMs?: number | undefined } = {}): Promise<void> {
    return this.#caller.close(options);
  }

  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#caller.close({});
  }
}

function unnamedOperation(): RequestError {
  const names = Object.keys(methods).join(', ');
  return new RequestError({ message: `operation: a name is needed (operations: ${names})` });
}

/**
 * The method of each operation. An operation that is new in the WSDL does not compile until it has one. The type is written out so
 * that the compiler says so here, and not also wherever a method is looked up.
 */
export const methods: { readonly [O in OperationName]: keyof MessagingClient & string } = {
  SendSimpleByApikey: 'sendSimple',
  SendArrayByApikey: 'sendArray',
  SendAdvance: 'sendAdvance',
  SelectoutboxByApikey: 'selectOutbox',
  SelectByApikey: 'select',
  SelectlatestByApikey: 'selectLatest',
  ReceiveByApikey: 'receive',
  GetStatusByApikey: 'getStatus',
  CancelByApikey: 'cancel',
  RemainCreditByApiKey: 'remainCredit',
};

/** The streaming method of each operation that lists records. */
export const streamMethods: { readonly [O in RecordOperation]: keyof MessagingClient & string } = {
  SelectoutboxByApikey: 'selectOutboxStream',
  SelectByApikey: 'selectStream',
  SelectlatestByApikey: 'selectLatestStream',
  ReceiveByApikey: 'receiveStream',
};
