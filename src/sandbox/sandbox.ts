import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';
import type { OperationName } from '../types';
import { wrong } from './checks';
import { Core } from './core';
import { DataFile } from './data-file';
import type { ReceivedMessage } from './inbox';
import { resolveSandboxOptions, type SandboxOptions } from './options';
import type { ArmedReply, Reply, ReplyHandle, ReplyOptions } from './replies';
import type { SandboxRequest } from './request-log';
import { HttpServer } from './server';
import { Site } from './site';

/** The options with which a client reaches the sandbox: `new MessagingClient(sandbox.clientOptions)`. */
export interface SandboxClientOptions {
  readonly baseUrl: string;
  readonly namespace: string;
  readonly apiKey: string;
  readonly successStatuses: readonly number[];
}

/** A running sandbox. */
export interface Sandbox {
  /** Base URL without the path of the endpoint: `http://127.0.0.1:41000`. */
  readonly baseUrl: string;
  readonly namespace: string;
  /** The first accepted API key. */
  readonly apiKey: string;
  /** The options that a client needs to call the sandbox. */
  readonly clientOptions: SandboxClientOptions;
  /** The sent messages, oldest first, one for each receptor; the last `keep` of them. A snapshot. */
  readonly messages: readonly ApiSelect[];
  /** The last 1,000 HTTP requests but those to the page and the control interface, newest last. A snapshot. */
  readonly requests: readonly SandboxRequest[];
  /** The armed replies, oldest first. A snapshot. */
  readonly replies: readonly ArmedReply[];

  /**
   * Adds a received message. It is unread until ReceiveByApikey returns it.
   *
   * @throws {TypeError} when a message is not what its type says; then none is added
   */
  receive(message: ReceivedMessage): ApiReceive;
  /** Adds several received messages, in this order. */
  receive(messages: readonly ReceivedMessage[]): ApiReceive[];

  /**
   * Changes the status of a sent message.
   *
   * @param status xsd:int
   * @param statustext default: `queued` for 1, `scheduled` for 2, `canceled` for 13, else empty
   * @throws {RangeError} when there is no such message
   * @throws {TypeError} when an argument is not what its type says
   */
  setStatus(messageid: bigint | number, status: number, statustext?: string): void;

  /**
   * Arms a reply to the next requests of an operation, or of any operation for `'*'`, in place of the service's own answer.
   * If several fit, the oldest answers. A request that cannot be read or names no operation uses up none.
   *
   * @returns a handle that disarms it
   * @throws {TypeError} when an argument is not what its type says
   */
  reply<O extends OperationName | '*'>(operation: O, reply: Reply<O>, options?: ReplyOptions): ReplyHandle;

  /** Disarms every reply. */
  clearReplies(): void;

  /** Makes messages, received messages, ids, credit, replies and requests as they were at the first start. */
  reset(): void;

  /**
   * Stops serving and closes every connection at once, also those with unanswered requests. With a data file, every later
   * change throws, since it could not be kept.
   */
  close(): Promise<void>;
}

/**
 * Starts the service of the contract on this machine, for tests and demos: ten operations, SOAP 1.1 and 1.2, the WSDL at
 * `?wsdl`, answering on the wire as an ASP.NET ASMX service does. Its page is at `/`, its control interface under `/sandbox`.
 * The state is in memory only, unless `data` names a file.
 *
 * It rejects with a ConfigurationError when an option is wrong, with an error that has the system's `code` when it cannot listen
 * (EADDRINUSE when the port is taken) or cannot open the data file, and with an error when that file is in use or another.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = resolveSandboxOptions(options);
  const core = new Core(settings);
  const site = new Site(core);
  const server = new HttpServer(settings, site);
  const dataFile = await openDataFile(settings.data, core);
  try {
    await server.listen();
  } catch (error) {
    await dataFile?.close();
    throw error;
  }
  const close = async (): Promise<void> => {
    site.close();
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
      return core.state.outbox.ring.toArray();
    },
    get requests() {
      return core.requestLog.requests;
    },
    get replies() {
      return core.replies.list;
    },
    receive: ((given: ReceivedMessage | readonly ReceivedMessage[]) =>
      Array.isArray(given)
        ? core.receive(given)
        : core.receive([given as ReceivedMessage], () => '')[0]) as Sandbox['receive'],
    setStatus(messageid, status, statustext) {
      if (typeof messageid !== 'bigint' && !Number.isSafeInteger(messageid)) {
        throw wrong('messageid', messageid, 'a bigint or a safe integer');
      }
      const record = core.setStatus(BigInt(messageid), status, statustext);
      if (record === undefined) throw new RangeError(`unknown message ${messageid}`);
    },
    reply: (operation, reply, replyOptions) => core.reply(operation, reply as Reply, replyOptions),
    clearReplies: () => core.replies.clearAll(),
    reset: () => core.reset(),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

async function openDataFile(path: string | undefined, core: Core): Promise<DataFile | undefined> {
  if (path === undefined) return undefined;
  const file = await DataFile.open(path, (change) => core.state.restore(change));
  core.state.log = file;
  return file;
}
