import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type TlsOptions as TlsServerOptions } from 'node:tls';
import { AbortError, MessagingClient, type MessagingError, type MessagingOptions } from '../../src';

export const namespace = 'http://messaging.example/';
export const apiKey = 'testkey0';

/** Both lives that a connection can have: kept for later calls, or closed after one. */
export const transports = [
  { transport: 'the pool', keepAlive: true },
  { transport: 'one connection per call', keepAlive: false },
] as const;

export const soapVersions = ['1.1', '1.2'] as const;

/** Each transport with each SOAP version. */
export const ways = transports.flatMap((way) => soapVersions.map((soapVersion) => ({ ...way, soapVersion })));

/** A complete request of SendSimpleByApikey. */
export const message = { sender: '3000', message: 'سلام', receptor: ['09120000001'], unixdate: 0n, msgmode: 1 };

const cleanUps: (() => unknown)[] = [];

/** Runs after the test, last registered first. */
export function afterTest(cleanUp: () => unknown): void {
  cleanUps.push(cleanUp);
}

afterEach(async () => {
  while (cleanUps.length > 0) await cleanUps.pop()?.();
});

type Options = Partial<MessagingOptions<Record<never, never>>>;

/** A client of the service, closed after the test. */
export function clientOf(service: { readonly baseUrl: string }, options: Options = {}): MessagingClient {
  const client = new MessagingClient({
    baseUrl: service.baseUrl,
    namespace,
    apiKey,
    successStatuses: [200],
    ...options,
  });
  // Whether close() works is for its own tests to say.
  afterTest(() => void client.close().catch(() => undefined));
  return client;
}

/** What the promise rejects with; a promise that fulfils fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome) return outcome.error;
  throw new Error('the promise was fulfilled');
}

/** The error that the promise rejects with, which must be of the type. */
export async function errorOf<E extends MessagingError>(
  type: abstract new (...args: never[]) => E,
  promise: Promise<unknown>,
): Promise<E> {
  const error = await failureOf(promise);
  if (!(error instanceof type)) throw new Error(`not a ${type.name}`, { cause: error });
  return error;
}

/** All that an iterable gives. */
export async function collect<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of iterable) items.push(item);
  return items;
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A promise that somebody else settles. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export interface ReceivedRequest {
  readonly requestLine: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly socket: Socket;
}

interface ServiceOptions {
  /** Called for each complete request. */
  onRequest?(request: ReceivedRequest, service: Service): void;
  /** Called for each connection; with TLS once the handshake is done. */
  onConnection?(socket: Socket, service: Service): void;
  tls?: TlsServerOptions;
}

/**
 * A service on a real socket that counts what reaches it. It speaks only as much HTTP as it takes to know when a request is
 * complete, so that a test decides every byte that goes back.
 */
export class Service {
  /** TCP connections. */
  connections = 0;
  /** Connections that are closed again. */
  closed = 0;
  /** Bytes of requests; with TLS, decrypted ones. */
  bytes = 0;
  readonly requests: ReceivedRequest[] = [];
  readonly sockets = new Set<Socket>();
  readonly #options: ServiceOptions;
  readonly #server: Server;
  readonly #changes = new EventEmitter().setMaxListeners(0);

  private constructor(options: ServiceOptions) {
    this.#options = options;
    this.#server = options.tls ? createTlsServer(options.tls) : createServer();
    this.#server.on('connection', (socket) => this.#count(socket));
    this.#server.on(options.tls ? 'secureConnection' : 'connection', (socket) => this.#serve(socket));
  }

  static async start(options: ServiceOptions | NonNullable<ServiceOptions['onRequest']>): Promise<Service> {
    const service = new Service(typeof options === 'function' ? { onRequest: options } : options);
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    afterTest(() => service.close());
    return service;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get baseUrl(): string {
    return `${this.#options.tls ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }

  get open(): number {
    return this.connections - this.closed;
  }

  /** Waits until what the service has seen fulfils the condition. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this.#changes, 'change');
  }

  close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #count(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    // Resets are part of what is tested.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed++;
      this.sockets.delete(socket);
      this.#changes.emit('change');
    });
    this.#changes.emit('change');
  }

  #serve(socket: Socket): void {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    let pending = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      pending = Buffer.concat([pending, chunk]);
      for (let request = parse(pending, socket); request; request = parse(pending, socket)) {
        pending = pending.subarray(request.length);
        this.requests.push(request.received);
        this.#options.onRequest?.(request.received, this);
      }
      this.#changes.emit('change');
    });
    this.#options.onConnection?.(socket, this);
  }
}

function parse(bytes: Buffer, socket: Socket): { received: ReceivedRequest; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [requestLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = end + 4 + Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return undefined;
  return { received: { requestLine, headers, body: bytes.toString('utf8', end + 4, length), socket }, length };
}

export interface Answer {
  status?: number;
  reason?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
}

/** The bytes of an HTTP answer, with a Content-Length unless the headers say how long the body is. */
export function httpAnswer({ status = 200, reason = 'Reason', headers = {}, body = '' }: Answer): Buffer {
  const bytes = Buffer.from(body);
  const all: Record<string, string> = { 'Content-Type': 'text/xml; charset=utf-8', ...headers };
  if (!('Content-Length' in all) && !('Transfer-Encoding' in all) && all.Connection !== 'close') {
    all['Content-Length'] = String(bytes.length);
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n`), bytes]);
}

/** A service that gives every request the same answer. */
export function serve(answer: Answer | string): Promise<Service> {
  const bytes = httpAnswer(typeof answer === 'string' ? { body: answer } : answer);
  return Service.start(({ socket }) => socket.write(bytes));
}

const envelopeNamespaces = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
} as const;

/** An envelope as an ASP.NET service writes it. */
export function envelope(body: string, version: '1.1' | '1.2' = '1.1'): string {
  return (
    `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${envelopeNamespaces[version]}"` +
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">' +
    `<soap:Body>${body}</soap:Body></soap:Envelope>`
  );
}

/** The response of an operation, around the XML inside its result element; without a result element when that is undefined. */
export function responseOf(
  operation: string,
  result: string | undefined,
  { status = 200, statusmessage = 'ok', version = '1.1' as '1.1' | '1.2' } = {},
): string {
  const element = result === undefined ? '' : `<${operation}Result>${result}</${operation}Result>`;
  return envelope(
    `<${operation}Response xmlns="${namespace}">${element}<status>${status}</status>` +
      `<statusmessage>${statusmessage}</statusmessage></${operation}Response>`,
    version,
  );
}

/** The answer to `remainCredit`. */
export function credit(value: bigint | number, version: '1.1' | '1.2' = '1.1'): string {
  return responseOf('RemainCreditByApiKey', String(value), { version });
}

/** One record of a list of sent messages. */
export function sentRecord(id: number): string {
  return (
    `<ApiSelect><messageid>${id}</messageid><message>text ${id}</message><status>1</status>` +
    '<statustext>sent</statustext><sender>3000</sender><receptor>09120000001</receptor><date>1700000000</date>' +
    '<cost>120</cost></ApiSelect>'
  );
}

export function sentRecords(first: number, count: number): string {
  return Array.from({ length: count }, (_, index) => sentRecord(first + index)).join('');
}

/** One record of a list of received messages. */
export function receivedRecord(id: number): string {
  return (
    `<ApiReceive><messageid>${id}</messageid><message>text ${id}</message><sender>09120000001</sender>` +
    '<receptor>3000</receptor><date>1700000000</date></ApiReceive>'
  );
}

/** A fault in the form of its SOAP version. */
export function faultOf(code: string, reason: string, detail: string, version: '1.1' | '1.2'): string {
  return envelope(
    version === '1.1'
      ? `<soap:Fault><faultcode>soap:${code}</faultcode><faultstring>${reason}</faultstring>` +
          `<detail>${detail}</detail></soap:Fault>`
      : `<soap:Fault><soap:Code><soap:Value>soap:${code}</soap:Value></soap:Code><soap:Reason>` +
          `<soap:Text xml:lang="en">${reason}</soap:Text></soap:Reason><soap:Detail>${detail}</soap:Detail></soap:Fault>`,
    version,
  );
}

/** A file of test/fixtures/tls. */
export function pem(name: string): string {
  return readFileSync(join(__dirname, '../fixtures/tls', name), 'utf8');
}

/** The reason of an abort, from the AbortError that a call rejected with. */
export async function abortReasonOf(call: Promise<unknown>): Promise<unknown> {
  return (await errorOf(AbortError, call)).cause;
}
