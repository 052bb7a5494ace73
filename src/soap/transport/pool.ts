import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool, ProxyAgent } from 'undici';
import {
  connectionFailure,
  type Failure,
  type Handle,
  type HttpRequest,
  type Sink,
  type Transport,
  type TransportSettings,
} from './transport';

/** After a pause this long, the event loop is asked first whether the service has closed a connection meanwhile. */
const IDLE_MS = 5;

/** Keeps connections open between requests: for services. On undici, whose dispatch is the cheapest way through Node. */
export class PoolTransport implements Transport {
  readonly #dispatcher: Pool | ProxyAgent;
  readonly #origin: string;
  readonly #path: string;
  #lastUsed = 0;

  constructor(settings: TransportSettings) {
    const url = new URL(settings.url);
    this.#origin = url.origin;
    this.#path = url.pathname;
    const limits = {
      connections: settings.maxConnections,
      pipelining: 1,
      headersTimeout: settings.idleTimeoutMs,
      bodyTimeout: settings.idleTimeoutMs,
    };
    // undici's index loads its fetch, cache and mock as well: two thirds of the time that loading it takes.
    if (settings.proxy === undefined) {
      const PoolClass = require('undici/lib/dispatcher/pool') as typeof Pool;
      const connect = { ...settings.tls, timeout: settings.connectTimeoutMs };
      this.#dispatcher = new PoolClass(url.origin, { ...limits, allowH2: false, connect });
    } else {
      const ProxyAgentClass = require('undici/lib/dispatcher/proxy-agent') as typeof ProxyAgent;
      const requestTls = { ...settings.tls, timeout: settings.connectTimeoutMs };
      this.#dispatcher = new ProxyAgentClass({
        ...limits,
        uri: settings.proxy,
        allowH2: false,
        requestTls,
        proxyTls: { timeout: settings.connectTimeoutMs },
      });
    }
  }

  send(request: HttpRequest, sink: Sink): Handle {
    const handler = new PoolHandler(sink, () => {
      this.#lastUsed = performance.now();
    });
    const dispatch = () => {
      if (handler.aborted) return;
      const { headers, body } = request;
      this.#dispatcher.dispatch({ origin: this.#origin, path: this.#path, method: 'POST', headers, body }, handler);
    };
    // A connection that the service closed while this process was idle or busy is known as closed only after the event
    // loop has polled: the second setImmediate runs after that. Writing to it at once would leave the outcome unknown.
    if (performance.now() - this.#lastUsed > IDLE_MS) setImmediate(() => setImmediate(dispatch));
    else dispatch();
    return handler;
  }

  close(): Promise<void> {
    return this.#dispatcher.close();
  }
}

class PoolHandler implements Dispatcher.DispatchHandler, Handle {
  aborted = false;
  readonly #sink: Sink;
  readonly #onDone: () => void;
  #controller: Dispatcher.DispatchController | undefined;

  constructor(sink: Sink, onDone: () => void) {
    this.#sink = sink;
    this.#onDone = onDone;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // undici calls this before it writes, and does not write when it is aborted here.
    if (this.aborted) controller.abort(new Error('aborted'));
    else this.#sink.onSent();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200 && !this.aborted) this.#sink.onHeaders(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.aborted) this.#sink.onData(chunk);
  }

  onResponseEnd(): void {
    this.#onDone();
    if (!this.aborted) this.#sink.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#onDone();
    if (!this.aborted) this.#sink.onFailure(failureOf(error));
  }

  abort(): void {
    this.aborted = true;
    this.#controller?.abort(new Error('aborted'));
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }
}

function failureOf(error: Error & { code?: unknown }): Failure {
  switch (error.code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
      return { kind: 'connect-timeout' };
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return { kind: 'idle-timeout' };
    case 'UND_ERR_SOCKET':
      return { kind: 'connection', code: 'ECONNRESET', message: error.message };
    default:
      return connectionFailure(error);
  }
}
