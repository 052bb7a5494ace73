import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';
import type { OperationName } from '../types';
import { EventStream } from './control/event-stream';
import { eventJson } from './control/json';
import { resolveSandboxOptions, type SandboxOptions } from './options';
import { Router } from './router';
import { HttpServer } from './server';
import { wrongField } from './service/field-error';
import type { ArmedReply, Reply, ReplyHandle, ReplyOptions } from './service/replies';
import type { SandboxRequest } from './service/request-log';
import { RunningSandbox } from './service/running-sandbox';
import { DataFile } from './store/data-file';
import type { ReceivedMessage } from './store/received-messages';

/** The options with which a client calls the sandbox: `new MessagingClient(sandbox.clientOptions)`. */
export interface SandboxClientOptions {
  readonly baseUrl: string;
  readonly namespace: string;
  readonly apiKey: string;
  readonly successStatuses: readonly number[];
}

/** A running sandbox. */
export interface Sandbox {
  /** The base URL without the path of the endpoint: `http://127.0.0.1:41000`. */
  readonly baseUrl: string;
  readonly namespace: string;
  /** The first accepted API key. */
  readonly apiKey: string;
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
 * Starts the service of the contract on this machine, for tests and demos. It has ten operations in SOAP 1.1 and 1.2
 * and behaves on the wire as an ASP.NET ASMX service does. Its WSDL is at `?wsdl`, its page at `/`, its control
 * interface under `/sandbox`. The sandbox keeps everything in memory only, unless `data` names a file.
 *
 * The promise rejects with a ConfigurationError when an option is wrong. It rejects with an error that has the system's
 * `code` when the sandbox cannot listen (EADDRINUSE when the port is taken) or cannot open the data file, and with an
 * error when the data file is in use or is a file of another kind.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = resolveSandboxOptions(options);
  const events = new EventStream();
  const sandbox: RunningSandbox = new RunningSandbox(settings, (event) =>
    events.publish(event.kind, () => eventJson(event, sandbox.replies.size, sandbox.mask)),
  );
  const router = new Router(settings, sandbox, events);
  const server = new HttpServer(settings, router);
  const dataFile = await openDataFile(settings.data, sandbox);
  try {
    await server.listen();
  } catch (error) {
    await dataFile?.close();
    throw error;
  }
  sandbox.startDelivery();
  const close = async (): Promise<void> => {
    router.close();
    sandbox.simulation.close();
    await server.close();
    await dataFile?.close();
  };

  const { baseUrl } = server;
  const { namespace, apiKeys } = settings;
  const [apiKey] = apiKeys;
  let closed: Promise<void> | undefined;
  return {
    baseUrl,
    namespace,
    apiKey,
    clientOptions: { baseUrl, namespace, apiKey, successStatuses: [200] },
    get messages() {
      return sandbox.store.sent.records();
    },
    get requests() {
      return sandbox.requestLog.requests;
    },
    get replies() {
      return sandbox.replies.list;
    },
    receive: ((given: ReceivedMessage | readonly ReceivedMessage[]) =>
      Array.isArray(given)
        ? sandbox.receive(given)
        : sandbox.receive([given as ReceivedMessage], () => '')[0]) as Sandbox['receive'],
    setStatus(messageid, status, statustext) {
      if (typeof messageid !== 'bigint' && !Number.isSafeInteger(messageid)) {
        throw wrongField('messageid', messageid, 'a bigint or a safe integer');
      }
      const record = sandbox.setStatus(BigInt(messageid), status, statustext);
      if (record === undefined) throw new RangeError(`unknown message ${messageid}`);
    },
    reply: (operation, reply, replyOptions) => sandbox.replies.arm(operation, reply as Reply, replyOptions),
    advance: (ms) => sandbox.advance(ms),
    clearReplies: () => sandbox.replies.clearAll(),
    reset: () => sandbox.reset(),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** Restores the messages of a data file and logs every later change in it. */
async function openDataFile(path: string | undefined, sandbox: RunningSandbox): Promise<DataFile | undefined> {
  if (path === undefined) return undefined;
  const file = await DataFile.open(path, (change) => sandbox.restore(change));
  sandbox.store.log = file;
  return file;
}
