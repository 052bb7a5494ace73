/// <reference lib="esnext.disposable" preserve="true" />
import type { methods } from '../../generated/operations';
import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';
import type {
  MessagingRecord,
  MessagingRequest,
  MessagingResponse,
  MessagingResult,
  OperationName,
  RecordOperation,
  RequestDefaults,
  RequestOfAll,
} from '../types';
import { Invoker } from './invoker';
import type { CallOptions, StreamOptions } from './options/call';
import { type MessagingOptions, type OptionOverrides, resolveOptions, type Settings } from './options/client';
import { readEnvironment } from './options/environment';
import { resolveTrackOptions, type TrackOptions } from './options/track';
import { type TrackedStatus, track } from './track';

type Methods = typeof methods;

/** The method of each operation of the WSDL, and the method that streams the records of each that lists records. */
type OperationMethods<D> = {
  [O in OperationName as Methods[O]]: (
    request: MessagingRequest<O, D>,
    options?: CallOptions,
  ) => Promise<MessagingResult<O>>;
} & {
  [O in RecordOperation as `${Methods[O]}Stream`]: (
    request: MessagingRequest<O, D>,
    options?: StreamOptions,
  ) => AsyncIterableIterator<MessagingRecord<O>>;
};

declare const typeOfDefaults: unique symbol;

/** Settings that were checked, in the place of the options of a client. */
class Checked {
  constructor(readonly settings: Settings) {}
}

/** Makes a client of settings that were checked. Only this package can import it. */
export function clientOfSettings<D extends RequestDefaults>(settings: Settings): MessagingClient<D> {
  return new MessagingClient<D>(new Checked(settings) as never);
}

/**
 * The client of the Messaging Service SOAP Interface, Version 1. It has a method for each operation, and a method that
 * streams the records of each operation that lists records.
 *
 * - A method sends one request. It adds the API key, status and statusmessage, checks the status of the response
 *   against `successStatuses`, and resolves with the plain result. It repeats nothing, except as `retries` allows, and
 *   follows no redirect.
 * - Every failure rejects with a `MessagingError`. Its `outcome` says whether the request took effect.
 * - The fields of a request have the names of the contract's elements. A field that is left out takes its value from
 *   `defaults`. `null` leaves out an element that the WSDL allows to be absent.
 * - Each xsd:long is a `bigint`. A request may also give a safe integer.
 *
 * `D` is the type of `defaults`: the fields that it holds are optional. The reference of all classes and options is
 * `docs/api.md` of the package, and `docs/errors.md` explains the error messages.
 *
 * @example
 * const client = new MessagingClient({
 *   baseUrl: 'https://provider.example',
 *   namespace: 'http://provider.example/',
 *   apiKey: process.env.MESSAGING_API_KEY,
 *   successStatuses: [200],
 *   defaults: { unixdate: 0n, msgmode: 1 },
 * });
 * const ids = await client.sendSimple({ sender: '3000', message: 'سلام', receptor: ['09120000001'] });
 */
export class MessagingClient<D extends RequestDefaults = Record<never, never>> implements OperationMethods<D> {
  /** Has no value. Without it, a client without defaults could be assigned to a variable for a client with defaults. */
  declare protected readonly [typeOfDefaults]: D;
  readonly #invoker: Invoker;
  readonly #settings: Settings;

  /**
   * Checks the options. No connection is made before the first call.
   *
   * @throws {ConfigurationError} that names every option that is missing, wrong or unknown
   */
  constructor(options: MessagingOptions<D> & (Record<never, never> extends D ? unknown : { readonly defaults: D })) {
    this.#settings = options instanceof Checked ? options.settings : resolveOptions(options);
    this.#invoker = new Invoker(this.#settings);
  }

  /**
   * Creates a client with the options that the environment sets. `MessagingOptions` names the variable of each option.
   * An empty variable counts as missing. The API key of the environment belongs to `MESSAGING_BASE_URL`: another
   * `baseUrl` needs `apiKey` too.
   *
   * @example
   * const client = MessagingClient.fromEnv({ timeoutMs: 5_000 });
   * @param overrides options that take precedence over the environment
   * @throws {ConfigurationError} that names every option that is missing, wrong or unknown, and every file of a
   * variable that cannot be read
   */
  static fromEnv<D extends RequestDefaults = Record<never, never>>(
    ...[overrides = {}]: Record<never, never> extends D
      ? [overrides?: OptionOverrides<D>]
      : [overrides: OptionOverrides<D> & { readonly defaults: D }]
  ): MessagingClient<D> {
    const { options, problems, keys } = readEnvironment(overrides, process.env);
    return clientOfSettings(resolveOptions(options, problems, keys));
  }

  /** The base URL of the service, without a slash at its end. It holds no password. */
  get baseUrl(): string {
    return this.#settings.baseUrl;
  }

  /** The namespace of the service. */
  get namespace(): string {
    return this.#settings.namespace;
  }

  /** The longest silence of the service in a call, in milliseconds; 0 without a limit. */
  get idleTimeoutMs(): number {
    return this.#settings.idleTimeoutMs;
  }

  /**
   * Sends one text from one sender to a list of receptors (SendSimpleByApikey). The contract does not define what the
   * returned longs mean or how they relate to the receptors.
   *
   * @example
   * const message = { sender: '3000', message: 'سلام', receptor: ['09120000001'] };
   * const ids = await client.sendSimple({ ...message, unixdate: 0n, msgmode: 1 });
   * @throws {MessagingError} whose `outcome` says what became of the request
   */
  sendSimple(request: MessagingRequest<'SendSimpleByApikey', D>, options?: CallOptions): Promise<bigint[]> {
    return this.#invoker.invoke('SendSimpleByApikey', request, options);
  }

  /**
   * Sends several messages (SendArrayByApikey). The contract does not define how the entries of sender, message,
   * receptor and msgmode pair up, or what the returned longs mean.
   *
   * @example
   * const texts = { sender: ['3000', '3000'], message: ['one', 'two'], receptor: ['09120000001', '09120000002'] };
   * const ids = await client.sendArray({ ...texts, unixdate: 0n, msgmode: [1, 1] });
   * @throws {MessagingError} whose `outcome` says what became of the request
   */
  sendArray(request: MessagingRequest<'SendArrayByApikey', D>, options?: CallOptions): Promise<bigint[]> {
    return this.#invoker.invoke('SendArrayByApikey', request, options);
  }

  /**
   * Sends a message to a single receptor (SendAdvance). The contract does not define the effect of fallbackurl and
   * clientmessageid, or what the returned long means.
   *
   * @example
   * const message = { sender: '3000', message: 'سلام', receptor: '09120000001', encoding: 0, messagemode: 1 };
   * const id = await client.sendAdvance({ ...message, unixdate: 0n, fallbackurl: null, clientmessageid: null });
   * @throws {MessagingError} whose `outcome` says what became of the request
   */
  sendAdvance(request: MessagingRequest<'SendAdvance', D>, options?: CallOptions): Promise<bigint> {
    return this.#invoker.invoke('SendAdvance', request, options);
  }

  /**
   * Lists the messages that were sent between startUnixdate and endUnixdate (SelectoutboxByApikey). The contract does
   * not define the unit and time zone of the two dates.
   *
   * @example
   * const records = await client.selectOutbox({ startUnixdate: 1767225600n, endUnixdate: 1767312000n });
   * @throws {MessagingError} whose `outcome` says what became of the request
   */
  selectOutbox(request: MessagingRequest<'SelectoutboxByApikey', D>, options?: CallOptions): Promise<ApiSelect[]> {
    return this.#invoker.invoke('SelectoutboxByApikey', request, options);
  }

  /**
   * Lists the sent messages with the given ids (SelectByApikey).
   *
   * @example
   * const [record] = await client.select({ messageid: [9007199254740993n] });
   * @throws {MessagingError} whose `outcome` says what became of the request
   */
  select(request: MessagingRequest<'SelectByApikey', D>, options?: CallOptions): Promise<ApiSelect[]> {
    return this.#invoker.invoke('SelectByApikey', request, options);
  }

  /**
   * Lists the latest sent messages (SelectlatestByApikey). `pagesize` is their number; the contract does not define its
   * maximum.
   *
   * @example
   * const records = await client.selectLatest({ pagesize: 10 });
   * @throws {MessagingError} whose `outcome` says what became of the request
   */
  selectLatest(request: MessagingRequest<'SelectlatestByApikey', D>, options?: CallOptions): Promise<ApiSelect[]> {
    return this.#invoker.invoke('SelectlatestByApikey', request, options);
  }

  /**
   * Lists the messages that were received on a line, by read state (ReceiveByApikey). The contract does not define the
   * values of isread.
   *
   * @example
   * const records = await client.receive({ lineNumber: '3000', isread: 0 });
   * @throws {MessagingError} whose `outcome` says what became of the request
   */
  receive(request: MessagingRequest<'ReceiveByApikey', D>, options?: CallOptions): Promise<ApiReceive[]> {
    return this.#invoker.invoke('ReceiveByApikey', request, options);
  }

  /**
   * Asks for the status of messages (GetStatusByApikey). The contract does not define what the returned ints mean.
   *
   * @example
   * const statuses = await client.getStatus({ messageid: ids });
   * @throws {MessagingError} whose `outcome` says what became of the request
   */
  getStatus(request: MessagingRequest<'GetStatusByApikey', D>, options?: CallOptions): Promise<number[]> {
    return this.#invoker.invoke('GetStatusByApikey', request, options);
  }

  /**
   * Cancels messages (CancelByApikey). The contract does not define what the returned ints mean.
   *
   * @example
   * const statuses = await client.cancel({ messageid: ids });
   * @throws {MessagingError} whose `outcome` says what became of the request
   */
  cancel(request: MessagingRequest<'CancelByApikey', D>, options?: CallOptions): Promise<number[]> {
    return this.#invoker.invoke('CancelByApikey', request, options);
  }

  /**
   * Asks for the remaining credit (RemainCreditByApiKey). The contract does not define its unit.
   *
   * @example
   * const credit = await client.remainCredit();
   * @throws {MessagingError} whose `outcome` says what became of the request
   */
  remainCredit(request: MessagingRequest<'RemainCreditByApiKey', D> = {}, options?: CallOptions): Promise<bigint> {
    return this.#invoker.invoke('RemainCreditByApiKey', request, options);
  }

  /**
   * Lists the same records as `selectOutbox`, each as soon as its bytes arrive, in constant memory. The request is sent
   * when the first record is asked for. The iteration ends when the whole response was read and its status is a
   * success; else it rejects.
   *
   * A stream holds one of the `maxConnections` connections until it ends. Leaving the loop ends it, and so does
   * `return()`. A call inside the loop needs another connection.
   *
   * @example
   * const request = { startUnixdate: 0n, endUnixdate: 1767312000n };
   * for await (const { messageid, status } of client.selectOutboxStream(request)) console.log(messageid, status);
   */
  selectOutboxStream(
    request: MessagingRequest<'SelectoutboxByApikey', D>,
    options?: StreamOptions,
  ): AsyncIterableIterator<ApiSelect> {
    return this.#invoker.records('SelectoutboxByApikey', request, options);
  }

  /** Lists the same records as `select`, each as soon as its bytes arrive; see `selectOutboxStream`. */
  selectStream(
    request: MessagingRequest<'SelectByApikey', D>,
    options?: StreamOptions,
  ): AsyncIterableIterator<ApiSelect> {
    return this.#invoker.records('SelectByApikey', request, options);
  }

  /** Lists the same records as `selectLatest`, each as soon as its bytes arrive; see `selectOutboxStream`. */
  selectLatestStream(
    request: MessagingRequest<'SelectlatestByApikey', D>,
    options?: StreamOptions,
  ): AsyncIterableIterator<ApiSelect> {
    return this.#invoker.records('SelectlatestByApikey', request, options);
  }

  /** Lists the same records as `receive`, each as soon as its bytes arrive; see `selectOutboxStream`. */
  receiveStream(
    request: MessagingRequest<'ReceiveByApikey', D>,
    options?: StreamOptions,
  ): AsyncIterableIterator<ApiReceive> {
    return this.#invoker.records('ReceiveByApikey', request, options);
  }

  /**
   * Follows sent messages until each has a final status, and yields each change as soon as it is seen. It asks for
   * `batchSize` ids per request (GetStatusByApikey), one request at a time, and pauses after each round. A refusal ends
   * the loop, and so does a response with more or fewer statuses than ids; `onFailure` is given every other failure.
   * Leaving the loop ends a wait and a request at once.
   *
   * @example
   * const options = { finalStatuses: [6, 10, 11, 13, 14], withinMs: 600_000 };
   * for await (const { messageid, status, final } of client.track(ids, options)) console.log(messageid, status, final);
   * @param ids the ids that the service returned when the messages were sent; an id that is given twice counts once
   * @throws {TrackingTimeout} after `withinMs`; {MessagingError}
   */
  track(ids: Iterable<bigint | number>, options: TrackOptions = {}): AsyncIterableIterator<TrackedStatus> {
    return track(ids, () => ({
      ...resolveTrackOptions(options, this.#settings),
      getStatus: (messageid, signal) => this.#invoker.invoke('GetStatusByApikey', { messageid }, { signal }),
    }));
  }

  /**
   * Calls any operation by its name in the contract. It does not check the status: it resolves with the result, status
   * and statusmessage of the response.
   *
   * @example
   * const { result, status, statusmessage } = await client.call('RemainCreditByApiKey', {});
   * @throws {RequestError} also when the contract has no such operation
   */
  call<O extends OperationName>(
    operation: O,
    request: RequestOfAll<O, D>,
    options?: CallOptions,
  ): Promise<MessagingResponse<O>> {
    return this.#invoker.invoke(operation, request as object, options, { checksStatus: false });
  }

  /**
   * Waits for the calls that are under way, then closes the connections. Every later call rejects with a
   * `ConnectionError`, and so does a stream that waits for its consumer because 500 records are unread.
   *
   * @example
   * await client.close({ withinMs: 5_000 });
   * @param options.withinMs the time, in milliseconds, after which calls that are still under way reject with a
   * `ConnectionError`. Default: no limit
   * @throws {ConfigurationError} when `withinMs` is wrong, and for any other option
   */
  close(options: { readonly withinMs?: number | undefined } = {}): Promise<void> {
    return this.#invoker.close(options);
  }

  /** Does the same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#invoker.close({});
  }
}
