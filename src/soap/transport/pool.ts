import type { Dispatcher, Pool, ProxyAgent } from 'undici';
import {
  connectionFailure,
  type Failure,
  type Handle,
  type HttpRequest,
  type ResponseHead,
  type Sink,
  type Transport,
  type TransportSettings,
} from './transport';
import { UnderWay } from './under-way';

/** After a pause this long, the event loop is asked first whether the service has closed a connection meanwhile. */
const IDLE_MS = 5;

/** Keeps connections open between requests: for services. On undici, whose dispatch is the cheapest way through Node. */
export class PoolTransport implements Transport {
  readonly #dispatcher: Pool | ProxyAgent;
  readonly #origin: string;
  readonly #path: string;
  readonly #underWay = new UnderWay();
  #lastUsed = 0;

  constructor(settings: TransportSettings) {
    const url = new URL(settings.url);
    this.#origin = url.origin;
    this.#path = url.pathname;
    const limits = {
      connections: settings.maxConnections,
      pipelining: 1,
      // The exchange watches the service's silence.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    if (settings.proxy === undefined) {
      // undici's index loads its fetch, cache and mock as well: two thirds of the time that loading it takes.
      const PoolClass = require('undici/lib/dispatcher/pool') as typeof Pool;
      const connect = { ...settings.tls, timeout: settings.connectTimeoutMs };
      this.#dispatcher = new PoolClass(url.origin, { ...limits, allowH2: false, connect });
    } else {
      this.#dispatcher = createProxyAgent(settings.proxy, settings, limits);
    }
  }

  send(request: HttpRequest, sink: Sink): Handle {
    const handler = new PoolHandler(sink, this.#onDone);
    this.#underWay.start();
    // A connection that the service closed while this process was idle or busy is known as closed only after the event
    // loop has polled: the second setImmediate runs after that. Writing to it at once would leave the outcome unknown.
    const idle = performance.now() - this.#lastUsed > IDLE_MS;
    if (idle) setImmediate(() => setImmediate(() => this.#dispatch(request, handler)));
    else this.#dispatch(request, handler);
    return handler;
  }

  #dispatch({ headers, body }: HttpRequest, handler: PoolHandler): void {
    if (handler.done) return;
    this.#dispatcher.dispatch({ origin: this.#origin, path: this.#path, method: 'POST', headers, body }, handler);
  }

  readonly #onDone = (): void => {
    this.#underWay.end();
    this.#lastUsed = performance.now();
  };

  async close(): Promise<void> {
    await this.#underWay.none();
    // undici's own close would wait for connections that nobody wants any more.
    await this.#dispatcher.destroy();
  }
}

function createProxyAgent(
  proxy: string,
  { tls, connectTimeoutMs }: TransportSettings,
  limits: Pool.Options,
): ProxyAgent {
  const { Pool: PoolClass, ProxyAgent: ProxyAgentClass } = require('undici') as typeof import('undici');
  const { username, password, href } = new URL(proxy);
  const timeout = connectTimeoutMs;
  return new ProxyAgentClass({
    ...limits,
    uri: href,
    // undici sends none without a password.
    ...(username === ''
      ? {}
      : { token: `Basic ${Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64')}` }),
    allowH2: false,
    requestTls: { ...tls, timeout },
    // The client certificate is for the service alone.
    proxyTls: { ...(tls.ca === undefined ? {} : { ca: tls.ca }), timeout },
    clientFactory: (origin, options) => {
      // The tunnel is part of making the connection.
      const pool = new PoolClass(origin, { ...options, headersTimeout: timeout, bodyTimeout: timeout });
      const connect = pool.connect.bind(pool) as (options: object) => Promise<Dispatcher.ConnectData>;
      // With undici's own code for a broken connection, the agent would try again for ever.
      const connectOnce = (request: object) =>
        connect(request).catch((error: Error) => Promise.reject(withSystemCode(error)));
      return Object.assign(pool, { connect: connectOnce });
    },
  });
}

function withSystemCode(error: Error & { code?: string }): Error {
  return error.code === 'UND_ERR_SOCKET' ? Object.assign(new Error(error.message), { code: 'ECONNRESET' }) : error;
}

/**
 * undici's own form of a handler, which it marks as deprecated: it wraps the newer one in this, which costs a small call
 * a twentieth of its time. The version is pinned.
 */
class PoolHandler implements Dispatcher.DispatchHandler, Handle {
  /** Whether it has ended or was given up. */
  done = false;
  readonly #sink: Sink;
  readonly #onDone: () => void;
  #abort: ((error?: Error) => void) | undefined;
  #resume: (() => void) | undefined;
  #paused = false;

  constructor(sink: Sink, onDone: () => void) {
    this.#sink = sink;
    this.#onDone = onDone;
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    // undici calls this before it writes, and does not write when it is aborted here.
    if (this.done) abort(new Error('aborted'));
    else this.#sink.onSent();
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    this.#resume = resume;
    if (status >= 200 && !this.done) this.#sink.onHeaders(readHead(status, headers));
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (!this.done) this.#sink.onData(chunk);
    return !this.#paused;
  }

  onComplete(): void {
    if (this.#finish()) this.#sink.onEnd();
  }

  onError(error: Error): void {
    if (this.#finish()) this.#sink.onFailure(failureOf(error));
  }

  abort(): void {
    if (this.#finish()) this.#abort?.(new Error('aborted'));
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#resume?.();
  }

  /** False when it was done before. */
  #finish(): boolean {
    if (this.done) return false;
    this.done = true;
    this.#onDone();
    return true;
  }
}

/** Names and values in turn, as bytes. */
function readHead(status: number, headers: readonly Buffer[]): ResponseHead {
  let contentType = '';
  let contentEncoding = '';
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as Buffer;
    if (name.length !== 'content-type'.length && name.length !== 'content-encoding'.length) continue;
    const value = (headers[index + 1] as Buffer).toString('latin1');
    switch (name.toString('latin1').toLowerCase()) {
      case 'content-type':
        contentType ||= value;
        break;
      case 'content-encoding':
        contentEncoding ||= value;
        break;
    }
  }
  return { status, contentType, contentEncoding };
}

function failureOf(error: Error & { code?: unknown }): Failure {
  switch (error.code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
    // Of a proxy that does not answer.
    case 'UND_ERR_HEADERS_TIMEOUT':
      return { kind: 'connect-timeout' };
    case 'UND_ERR_SOCKET':
      return { kind: 'connection', code: 'ECONNRESET', message: error.message };
    default:
      return connectionFailure(error);
  }
}
