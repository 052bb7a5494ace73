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

/** The options of a client that reach the sandbox: `new MessagingClient(sandbox.clientOptions)`. */
export type SandboxClientOptions = Pick<MessagingOptions, 'baseUrl' | 'namespace' | 'successStatuses'> & {
  readonly apiKey: string;
};

/** A running sandbox. */
export interface Sandbox {
  /** Without the path of the endpoint: `http://127.0.0.1:41000`. */
  readonly baseUrl: string;
  readonly namespace: string;
  /** The first of the accepted keys. */
  readonly apiKey: string;
  /** What a client needs to call it. */
  readonly clientOptions: SandboxClientOptions;
  /** The messages that were sent until now, oldest first, one for each receptor. */
  readonly messages: readonly ApiSelect[];
  /** The last 1,000 HTTP requests until now, newest last. */
  readonly requests: readonly SandboxRequest[];

  /** Puts in a message as if it had been received. It is unread until ReceiveByApikey gives it. */
  receive(message: ReceivedMessage): ApiReceive;
  /** Puts in several, in this order. */
  receive(messages: readonly ReceivedMessage[]): ApiReceive[];

  /**
   * Changes the status of a message that was sent.
   *
   * @param status xsd:int
   * @param statustext default: `queued` for 1, `scheduled` for 2, `canceled` for 13, else empty
   * @throws {RangeError} when there is no such message, or the status is no xsd:int
   */
  setStatus(messageid: bigint | number, status: number, statustext?: string): void;

  /**
   * Arms the answer to the next requests of an operation, or of any for `'*'`, in place of the service's own. Of several
   * that fit, the one armed first answers first. A request that cannot be read, or names no operation, uses up none.
   *
   * @throws {TypeError} when an argument is not what its type says
   */
  reply<O extends OperationName | '*'>(operation: O, reply: Reply<O>, options?: ReplyOptions): void;

  /** Stops serving and ends every connection at once, those of unanswered requests too. */
  close(): Promise<void>;
}

/**
 * Starts the service of the contract on this machine, for tests and demos: ten operations, SOAP 1.1 and 1.2, the WSDL at
 * `?wsdl`, answering on the wire as an ASP.NET ASMX service does. Its state lives in memory and ends with it.
 *
 * It rejects with a TypeError when an option is wrong, and with an error that has the system's `code` when it cannot
 * listen: EADDRINUSE when the port is taken.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = resolveSandboxOptions(options);
  const service = new Service(settings.apiKeys, settings.credit);
  const replies = new ArmedReplies();
  const recorder = new RequestLog();
  const server = new HttpServer(settings, new Endpoint(settings, service, replies), recorder);
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
      return recorder.requests;
    },
    receive: ((given: ReceivedMessage | readonly ReceivedMessage[]) =>
      Array.isArray(given)
        ? given.map((message) => service.inbox.add(message))
        : service.inbox.add(given as ReceivedMessage)) as Sandbox['receive'],
    setStatus(messageid, status, statustext) {
      checkInt(status);
      if (!service.outbox.setStatus(BigInt(messageid), status, statustext)) {
        throw new RangeError(`no message ${messageid} was sent`);
      }
    },
    reply: (operation, reply, replyOptions = {}) => replies.arm(operation, reply as Reply, replyOptions),
    close: () => server.close(),
  };
}

function checkInt(status: number): void {
  const { min, max } = integerRanges.int;
  if (!Number.isInteger(status) || status < min || status > max) throw new RangeError(`${status} is no xsd:int`);
}
