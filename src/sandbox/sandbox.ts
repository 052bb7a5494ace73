import type { ApiReceive } from '../../generated/v1/definitions/ApiReceive';
import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';
import type { MessagingOptions } from '../options';
import type { OperationName } from '../types';
import { integerRanges } from '../xml/integers';
import { Endpoint } from './endpoint';
import type { ReceivedMessage } from './inbox';
import { resolveSandboxOptions, type SandboxOptions } from './options';
import { ArmedReplies, type Reply, type ReplyOptions } from './replies';
import { RequestLog, type SandboxRequest } from './request-log';
import { HttpServer } from './server';
import { Service } from './service';

/** The options with which a client reaches the sandbox: `new MessagingClient(sandbox.clientOptions)`. */
export type SandboxClientOptions = Pick<MessagingOptions, 'baseUrl' | 'namespace' | 'successStatuses'> & {
  readonly apiKey: string;
};

/** A running sandbox. */
export interface Sandbox {
  /** Base URL without the path of the endpoint: `http://127.0.0.1:41000`. */
  readonly baseUrl: string;
  readonly namespace: string;
  /** The first accepted API key. */
  readonly apiKey: string;
  /** The options that a client needs to call the sandbox. */
  readonly clientOptions: SandboxClientOptions;
  /** The sent messages, oldest first, one for each receptor. A snapshot. */
  readonly messages: readonly ApiSelect[];
  /** The last 1,000 HTTP requests, newest last. A snapshot. */
  readonly requests: readonly SandboxRequest[];

  /** Adds a received message. It is unread until ReceiveByApikey returns it. */
  receive(message: ReceivedMessage): ApiReceive;
  /** Adds several received messages, in this order. */
  receive(messages: readonly ReceivedMessage[]): ApiReceive[];

  /**
   * Changes the status of a sent message.
   *
   * @param status xsd:int
   * @param statustext default: `queued` for 1, `scheduled` for 2, `canceled` for 13, else empty
   * @throws {RangeError} when there is no such message, or the status is not an xsd:int
   */
  setStatus(messageid: bigint | number, status: number, statustext?: string): void;

  /**
   * Arms a reply to the next requests of an operation, or of any operation for `'*'`, in place of the service's own answer.
   * If several fit, the oldest answers. A request that cannot be read or names no operation uses up none.
   *
   * @throws {TypeError} when an argument is wrong
   */
  reply<O extends OperationName | '*'>(operation: O, reply: Reply<O>, options?: ReplyOptions): void;

  /** Stops serving and closes every connection at once, also those with unanswered requests. */
  close(): Promise<void>;
}

/**
 * Starts the service of the contract on this machine, for tests and demos: ten operations, SOAP 1.1 and 1.2, the WSDL at
 * `?wsdl`, answering on the wire as an ASP.NET ASMX service does. Its state is in memory only.
 *
 * It rejects with a TypeError when an option is wrong, and with an error that has the system's `code` when it cannot
 * listen: EADDRINUSE when the port is taken.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = resolveSandboxOptions(options);
  const service = new Service(settings.apiKeys, settings.credit);
  const replies = new ArmedReplies();
  const requestLog = new RequestLog();
  const server = new HttpServer(settings, new Endpoint(settings, service, replies), requestLog);
  await server.listen();

  const { baseUrl } = server;
  const { namespace, apiKeys } = settings;
  const [apiKey] = apiKeys;
  return {
    baseUrl,
    namespace,
    apiKey,
    clientOptions: { baseUrl, namespace, apiKey, successStatuses: [200] },
    get messages() {
      return [...service.outbox.records];
    },
    get requests() {
      return requestLog.requests;
    },
    receive: ((given: ReceivedMessage | readonly ReceivedMessage[]) =>
      Array.isArray(given)
        ? given.map((message) => service.inbox.add(message))
        : service.inbox.add(given as ReceivedMessage)) as Sandbox['receive'],
    setStatus(messageid, status, statustext) {
      checkInt(status);
      if (!service.outbox.setStatus(BigInt(messageid), status, statustext)) {
        throw new RangeError(`unknown message ${messageid}`);
      }
    },
    reply: (operation, reply, replyOptions = {}) => replies.arm(operation, reply as Reply, replyOptions),
    close: () => server.close(),
  };
}

function checkInt(status: number): void {
  const { min, max } = integerRanges.int;
  if (!Number.isInteger(status) || status < min || status > max)
    throw new RangeError(`status ${status} is not an xsd:int`);
}
