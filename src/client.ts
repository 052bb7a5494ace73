import { type MessagingOptions, type OptionOverrides, readEnvironment, resolveOptions } from './options';
import { Caller, type CallOptions } from './soap/caller';
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
 * against `successStatuses` and gives the plain result. Nothing is retried and no redirect is followed. Every failure
 * rejects with a MessagingError whose `outcome` says whether the request took effect; an abort rejects with the signal's
 * reason. Fields are the contract's elements: left out, one takes its value from `defaults`; null leaves out an element
 * that the WSDL allows to be absent. `D` is the type of `defaults`; the fields that it holds are optional.
 */
export class MessagingClient<D extends RequestDefaults = Record<never, never>> {
  readonly #port: Caller;

  /** @throws {ConfigurationError} when an option is missing or wrong */
  constructor(options: MessagingOptions<D>) {
    this.#port = new Caller(resolveOptions(options));
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

  /** SendSimpleByApikey: sends one text from one sender to each receptor. Meaning of the returned longs: not shown. */
  sendSimple(request: MessagingRequest<'SendSimpleByApikey', D>, options?: CallOptions): Promise<bigint[]> {
    return this.#port.result('SendSimpleByApikey', request, options);
  }

  /** SendArrayByApikey: sends several messages. How the lists pair up, and the meaning of the returned longs: not shown. */
  sendArray(request: MessagingRequest<'SendArrayByApikey', D>, options?: CallOptions): Promise<bigint[]> {
    return this.#port.result('SendArrayByApikey', request, options);
  }

  /** SendAdvance: sends to a single receptor. Effect of fallbackurl and clientmessageid: not shown. */
  sendAdvance(request: MessagingRequest<'SendAdvance', D>, options?: CallOptions): Promise<bigint> {
    return this.#port.result('SendAdvance', request, options);
  }

  /** SelectoutboxByApikey: the messages sent between startUnixdate and endUnixdate. Their unit and time zone: not shown. */
  selectOutbox(
    request: MessagingRequest<'SelectoutboxByApikey', D>,
    options?: CallOptions,
  ): Promise<MessagingResult<'SelectoutboxByApikey'>> {
    return this.#port.result('SelectoutboxByApikey', request, options);
  }

  /** SelectByApikey: the sent-message records with the given ids. */
  select(
    request: MessagingRequest<'SelectByApikey', D>,
    options?: CallOptions,
  ): Promise<MessagingResult<'SelectByApikey'>> {
    return this.#port.result('SelectByApikey', request, options);
  }

  /** SelectlatestByApikey: the latest sent messages, as many as pagesize says. */
  selectLatest(
    request: MessagingRequest<'SelectlatestByApikey', D>,
    options?: CallOptions,
  ): Promise<MessagingResult<'SelectlatestByApikey'>> {
    return this.#port.result('SelectlatestByApikey', request, options);
  }

  /** ReceiveByApikey: the messages received on a line, by read state. Values of isread: not shown. */
  receive(
    request: MessagingRequest<'ReceiveByApikey', D>,
    options?: CallOptions,
  ): Promise<MessagingResult<'ReceiveByApikey'>> {
    return this.#port.result('ReceiveByApikey', request, options);
  }

  /** GetStatusByApikey: one list of int for the given ids. Meaning of the ints: not shown. */
  getStatus(request: MessagingRequest<'GetStatusByApikey', D>, options?: CallOptions): Promise<number[]> {
    return this.#port.result('GetStatusByApikey', request, options);
  }

  /** CancelByApikey: one list of int for the given ids. Meaning of the ints: not shown. */
  cancel(request: MessagingRequest<'CancelByApikey', D>, options?: CallOptions): Promise<number[]> {
    return this.#port.result('CancelByApikey', request, options);
  }

  /** RemainCreditByApiKey: the remaining credit. Its unit: not shown. The operation has no fields to fill. */
  remainCredit(request: MessagingRequest<'RemainCreditByApiKey', D> = {}, options?: CallOptions): Promise<bigint> {
    return this.#port.result('RemainCreditByApiKey', request, options);
  }

  /**
   * `selectOutbox`, record by record as bytes arrive, in constant memory. The request is sent when the first record is asked for;
   * leaving the loop aborts it. The iteration ends only when the whole answer was read and its status checked; else it rejects.
   */
  selectOutboxStream(
    request: MessagingRequest<'SelectoutboxByApikey', D>,
    options?: CallOptions,
  ): AsyncIterableIterator<MessagingRecord<'SelectoutboxByApikey'>> {
    return this.#port.records('SelectoutboxByApikey', request, options);
  }

  /** `select`, record by record as bytes arrive. */
  selectStream(
    request: MessagingRequest<'SelectByApikey', D>,
    options?: CallOptions,
  ): AsyncIterableIterator<MessagingRecord<'SelectByApikey'>> {
    return this.#port.records('SelectByApikey', request, options);
  }

  /** `selectLatest`, record by record as bytes arrive. */
  selectLatestStream(
    request: MessagingRequest<'SelectlatestByApikey', D>,
    options?: CallOptions,
  ): AsyncIterableIterator<MessagingRecord<'SelectlatestByApikey'>> {
    return this.#port.records('SelectlatestByApikey', request, options);
  }

  /** `receive`, record by record as bytes arrive. */
  receiveStream(
    request: MessagingRequest<'ReceiveByApikey', D>,
    options?: CallOptions,
  ): AsyncIterableIterator<MessagingRecord<'ReceiveByApikey'>> {
    return this.#port.records('ReceiveByApikey', request, options);
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
    return this.#port.call(operation, request, options);
  }

  /** Lets calls under way finish, then closes the connections. A call after it rejects. */
  close(): Promise<void> {
    return this.#port.close();
  }
}

/** The method of each operation. An operation that is new in the WSDL does not compile until it has one. */
export const methods = {
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
} as const satisfies { readonly [O in OperationName]: keyof MessagingClient };

/** The streaming method of each operation that lists records. */
export const streamMethods = {
  SelectoutboxByApikey: 'selectOutboxStream',
  SelectByApikey: 'selectStream',
  SelectlatestByApikey: 'selectLatestStream',
  ReceiveByApikey: 'receiveStream',
} as const satisfies { readonly [O in RecordOperation]: keyof MessagingClient };
