import { isDeepStrictEqual } from 'node:util';
import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';
import { readNamed } from '../options/table';
import type { OperationName } from '../types';
import { readLong } from './fields';
import { resolveSandboxOptions, type SandboxOptions } from './options';
import type { ArmedReply, Reply, ReplyHandle, ReplyOptions } from './replies/replies';
import { HttpServer } from './server';
import { DeliverySimulation } from './store/delivery-simulation';
import type { ReceivedMessage } from './store/messages';
import type { SandboxRequest } from './store/request-log';
import { SandboxState } from './store/state';

/** The options with which a client calls the sandbox: `new MessagingClient(sandbox.clientOptions)`. */
export interface SandboxClientOptions {
  /** The base URL without the path of the endpoint: `http://127.0.0.1:41000`. */
  readonly baseUrl: string;
  /** The namespace that clients must use. */
  readonly namespace: string;
  /** The first accepted API key. */
  readonly apiKey: string;
  /** The status of a success: `[200]`. */
  readonly successStatuses: readonly number[];
}

/** A running sandbox. */
export interface Sandbox extends Omit<SandboxClientOptions, 'successStatuses'> {
  /** The options that a client needs to call the sandbox. */
  readonly clientOptions: SandboxClientOptions;
  /** The sent messages, one for each receptor, oldest first. At most the last `keep` of them. A snapshot. */
  readonly messages: readonly ApiSelect[];
  /** The last 1,000 HTTP requests, newest last, without those to the page and the control interface. A snapshot. */
  readonly requests: readonly SandboxRequest[];
  /** The armed replies, oldest first. A snapshot. */
  readonly replies: readonly ArmedReply[];

  /**
   * Adds a received message. It is unread until ReceiveByApikey returns it.
   *
   * @throws {TypeError} when a message is not of its type; then none is added
   */
  receive(message: ReceivedMessage): ApiReceive;
  /** Adds several received messages, in this order. */
  receive(messages: readonly ReceivedMessage[]): ApiReceive[];

  /**
   * Changes the status of a sent message. The simulated delivery then leaves the message alone.
   *
   * @param status xsd:int
   * @param statustext default: `queued` for 1, `scheduled` 2, `sent` 4, `failed` 6, `delivered` 10, `undelivered` 11,
   * `canceled` 13, `blocked` 14, otherwise empty
   * @throws {RangeError} when no message has this id
   * @throws {TypeError} when an argument is not of its type
   */
  setStatus(messageid: bigint | number, status: number, statustext?: string): void;

  /**
   * Arms a reply to the next requests of an operation, or of any operation for `'*'`, in place of the service's own
   * response. A request that several replies fit gets the oldest. A request that cannot be read or names no operation
   * uses up no reply.
   *
   * @returns a handle that disarms the reply
   * @throws {TypeError} when an argument is not of its type
   */
  reply<O extends OperationName | '*'>(operation: O, reply: Reply<O>, options?: ReplyOptions): ReplyHandle;

  /** Disarms every reply. */
  clearReplies(): void;

  /**
   * Moves the simulated delivery ahead and takes every step that is due by then, so that a test need not wait.
   *
   * @param ms milliseconds, which are rounded to a whole number
   * @throws {TypeError} when the number is negative or too large
   */
  advance(ms: number): void;

  /**
   * Sets messages, received messages, ids, credit, replies, requests and the simulated delivery back to the first
   * start.
   */
  reset(): void;

  /**
   * Stops serving and closes every connection at once, also a connection that waits for a response. With a data file,
   * every later change throws, since the file could not keep it.
   */
  close(): Promise<void>;
}

/**
 * Starts the service of the contract on this machine, for tests and demos. It has all operations in SOAP 1.1 and 1.2
 * and behaves on the wire as an ASP.NET ASMX service does. Its WSDL is at `?wsdl`, its page at `/`, its control
 * interface under `/sandbox`. The sandbox keeps everything in memory only, unless `data` names a file.
 *
 * The promise rejects with a ConfigurationError when an option is wrong. It rejects with an error that has the system's
 * `code` when the sandbox cannot listen (EADDRINUSE when the port is taken) or cannot open the data file, and with an
 * error when the data file is in use or is a file of another kind.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const resolved = resolveSandboxOptions(options);
  const { namespace, apiKeys, data, delivery, onRequest } = resolved;
  const [apiKey] = apiKeys;
  const state = new SandboxState(resolved);
  const server = new HttpServer(resolved, state);
  const simulation = new DeliverySimulation(state);
  if (onRequest !== undefined) {
    state.listeners.add((event) => {
      if (event.t !== 'request') return;
      // The callback may be asynchronous.
      new Promise((resolve) => resolve(onRequest(event.request))).catch((error) => state.reportFailure(error));
    });
  }
  const close = async (): Promise<void> => {
    simulation.close();
    await server.close();
    await state.close();
  };
  let baseUrl: string;
  try {
    if (data !== undefined) await state.keepIn(data);
    baseUrl = await server.listen();
    // The setting with which the sandbox was started, or that of the data file.
    if (delivery !== undefined && !isDeepStrictEqual(delivery, state.delivery)) state.setDelivery(delivery);
    else simulation.restart();
  } catch (error) {
    await close();
    throw error;
  }

  let closed: Promise<void> | undefined;
  return {
    baseUrl,
    namespace,
    apiKey,
    clientOptions: { baseUrl, namespace, apiKey, successStatuses: [200] },
    get messages() {
      return state.sent.all().map(({ record }) => record);
    },
    get requests() {
      return state.requestLog.requests;
    },
    get replies() {
      return state.replies.list;
    },
    receive: ((given: unknown) => {
      const records = state.receive(given).map(({ record }) => record);
      return Array.isArray(given) ? records : records[0];
    }) as Sandbox['receive'],
    setStatus(messageid, status, statustext) {
      const id = readNamed('messageid', () => readLong(messageid));
      const message = state.setStatus(id, { status, statustext });
      if (message === undefined) throw new RangeError(`unknown message ${messageid}`);
    },
    reply: (operation, reply, replyOptions = {}) => state.replies.arm({ ...replyOptions, operation, reply }),
    advance: (ms) => state.advance({ ms }),
    clearReplies: () => state.replies.clearAll(),
    reset: () => state.reset(),
    close() {
      closed ??= close();
      return closed;
    },
  };
}
